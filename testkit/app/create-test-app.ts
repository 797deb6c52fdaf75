import { conventionDirectories } from '../../app/builtins.js';
import { type App, embed, usedAfterClose } from '../../app/create-app.js';
import { locate, refuseWorkspaceRoot } from '../../app/locate.js';
import { loggerOf, silentLogger } from '../../app/loggers.js';
import { type Config, openKernel } from '../../app/open-kernel.js';
import { type BaseRoute, isObject, type Logger, type LogLevel, type Runtime } from '../../kernel/index.js';
import { type Loader, rootOfTests, type SourceLoader, testLoader } from '../../loader/index.js';
import type { PeersEngine } from '../../peers/index.js';

import type { CustomLogger } from '../../plugins/context/internal.js';
import { logCall, ProjectLogger, projectLogger, type RuntimeCtx } from '../../scope/index.js';
import { Resources } from '../plugin/resources.js';
import { testError, withCodes } from '../test-error.js';
import { clockOf, isTestClock, type TestClock } from './clock.js';
import { knownSources, rememberSources } from './known-sources.js';
import { findLeaks, TestLeakError } from './leaks.js';
import type { TestVisitor } from './test-visitor.js';
import { socketsTo, type TestTarget, testVisitor } from './visitor.js';

/** An error that an app logged: a handler, a socket callback or a tool has thrown, for example. */
interface TestFailure {
  /** The line of the log: `GET /api/books failed in src/api/books.get.ts`. */
  readonly message: string;
  /** The thrown value; undefined if nothing was thrown. */
  readonly error: unknown;
}

/** Errors only, on stderr with their stacks, so that a test that gets a 500 shows the reason. */
const errorsOnly: CustomLogger = {
  debug() {},
  info() {},
  warn() {},
  error(message, ...details) {
    // Not a format string: a `%d` in it would consume the error.
    console.error('%s', message, ...details);
  },
};

class FailureLogger extends ProjectLogger {
  constructor(
    inner: Logger,
    private readonly failures: TestFailure[],
  ) {
    super(inner);
  }

  override child(fields: Readonly<Record<string, unknown>>): Logger {
    return new FailureLogger(super.child(fields), this.failures);
  }

  protected override write(level: LogLevel, first: object | string, rest: readonly unknown[]): void {
    if (level === 'error' || level === 'fatal') {
      const { message, thrown } = logCall(first, rest);
      this.failures.push({ message, error: thrown[0] });
    }
    return super.write(level, first, rest);
  }
}

const WHAT_LEAKS_DO: readonly unknown[] = ['error', 'warn', 'ignore'];

/** The checks for the options of a test app, except for config options and the logger. */
const OPTIONS: Readonly<Record<string, { what: string; accepts: (given: unknown) => boolean }>> = {
  dir: { what: 'the folder of a project', accepts: (given) => typeof given === 'string' },
  overrides: { what: 'an object of values of ctx', accepts: isObject },
  leaks: { what: '"error", "warn" or "ignore"', accepts: (given) => WHAT_LEAKS_DO.includes(given) },
  machine: {
    what: 'the result of a function made by testMachines()',
    accepts: (given) => isObject(given) && typeof given.listen === 'function',
  },
  clock: { what: 'the result of testClock()', accepts: isTestClock },
};

const OWN_OPTIONS: readonly string[] = [...Object.keys(OPTIONS), 'logger'];

function checkOptions(options: unknown): void {
  if (!isObject(options))
    throw testError(
      'FWK901',
      `createTestApp() takes an object of options, not ${shown(options)}.`,
      TypeError,
    );
  for (const [name, { what, accepts }] of Object.entries(OPTIONS)) {
    const given = options[name];
    if (given !== undefined && !accepts(given))
      throw testError('FWK901', `The option "${name}" takes ${what}, not ${shown(given)}.`, TypeError);
  }
}

const shown = (value: unknown): string =>
  typeof value === 'function'
    ? 'a function'
    : typeof value === 'object' && value !== null
      ? 'such an object'
      : (JSON.stringify(value) ?? String(value));

/** Replacements for parts of a project, in addition to options that override its `fwk.config`. */
export interface TestAppOptions extends Config {
  /** The project directory, like `--dir`. Default: the current directory; under vitest the root of the vitest project. */
  readonly dir?: string;
  /** Values of `ctx` to use instead of the project's; the replaced values are never made. */
  readonly overrides?: Partial<RuntimeCtx>;
  /** Where the app logs; `false`: nowhere. Default: errors only, on stderr, so that a test that gets a 500 shows the reason. */
  readonly logger?: CustomLogger | false;
  /** A machine of `testMachines()`, for a test with several. */
  readonly machine?: PeersEngine;
  /**
   * How `close` reports timers, sockets, servers and the like that code of the app has left open: rejects with a TestLeakError that lists
   * where each was made, writes the list to the console, or doesn't check. Checking makes promises slower. Default: `'ignore'`.
   */
  readonly leaks?: 'error' | 'warn' | 'ignore';
  /** `testClock()`: the clock for sessions, rate limits, caches and timeouts. Default: the clock of the process. */
  readonly clock?: TestClock;
}

/** A booted project to test without a port: its first visitor, and access to its services and logs. */
export interface TestApp extends TestVisitor {
  /** Create another visitor, with its own cookies. `headers` are sent with all its requests. */
  readonly visitor: (options?: { readonly headers?: Readonly<Record<string, string>> }) => TestVisitor;
  readonly routes: readonly BaseRoute[];
  /** The singletons. Use `run` for request and session values. */
  readonly ctx: App['ctx'];
  /** Call a function with the `ctx` of a new scope, outside of any request: see `App.run`. */
  readonly run: App['run'];
  /** The errors that the app has logged, in order: for example errors in handlers that were answered with 500, with their stacks. */
  readonly errors: readonly TestFailure[];
  /** The resources that outlive versions of the project. Plugins keep theirs in it, such as the port of a protocol. */
  readonly runtime: Runtime;
  readonly close: App['close'];
}

/** Boot the sources of a project for a test. Throws BootError with every problem of the project, and a TypeError for a wrong option. */
export async function createTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  checkOptions(options);
  try {
    return await bootTestApp(options);
  } catch (thrown) {
    throw withCodes(thrown);
  }
}

const isSourceLoader = (loader: Loader): loader is SourceLoader => 'fresh' in loader;

async function bootTestApp(options: TestAppOptions): Promise<TestApp> {
  const {
    dir = rootOfTests(),
    overrides = {},
    logger = errorsOnly,
    machine,
    clock: given,
    leaks,
    ...override
  } = options;
  const clock = clockOf(given);
  const paths = locate(dir, conventionDirectories);
  refuseWorkspaceRoot(paths);
  process.env.NODE_ENV ??= 'test';
  const mode = process.env.NODE_ENV;
  const errors: TestFailure[] = [];
  const noting = new FailureLogger(logger === false ? silentLogger : loggerOf(logger), errors);
  const began = Date.now();
  // Other plugins may read the files in another way.
  const hasOwnPlugins = override.plugins !== undefined || override.disable !== undefined;
  const known = hasOwnPlugins ? undefined : knownSources(paths);
  const loader = known?.loader ?? (await testLoader(paths.root));
  const kernel = await openKernel({
    paths,
    mode,
    loader,
    metadata: known?.metadata,
    logger: noting,
    override,
    knownOptions: OWN_OPTIONS,
    overrides,
    clock,
  });
  const watch = leaks === 'error' || leaks === 'warn' ? new Resources() : undefined;
  const inside: TestTarget['inside'] = (work) => (watch ? watch.run(work) : work());
  const embedded = await inside(() => embed(kernel, { machine, clock })).catch((thrown) => {
    watch?.stop();
    throw thrown;
  });
  const { app, project, server, runtime, runs } = embedded;
  if (!known && !hasOwnPlugins && isSourceLoader(loader)) rememberSources(project, loader, began);
  // A plugin of the project has replaced it.
  if (projectLogger(project).current !== noting)
    projectLogger(project).current = new FailureLogger(projectLogger(project).current, errors);
  server.ownConnections();
  let isChecked = false;
  const refuseLate = (what: string): void => {
    if (runs.isClosed) throw testError('FWK315', usedAfterClose(what));
  };
  const target: TestTarget = {
    node: server.node,
    routes: app.routes,
    openSocket: app.routes.some(({ kind }) => kind === 'ws') ? await socketsTo(server.node) : undefined,
    date: () => clock.date(),
    inside,
    refuseLate,
  };
  return {
    ...testVisitor(target),
    visitor: ({ headers } = {}) => testVisitor(target, headers),
    routes: app.routes,
    ctx: app.ctx,
    async run<T>(work: (ctx: RuntimeCtx) => T): Promise<Awaited<T>> {
      refuseLate('app.run()');
      return await inside(() => app.run(work));
    },
    errors,
    runtime,
    async close() {
      await app.close();
      if (!watch || isChecked) return;
      isChecked = true;
      const found = await findLeaks(watch, { calls: runs.openCount, cutOff: runtime.cutOff });
      if (found.length === 0) return;
      const error = new TestLeakError(found);
      if (leaks === 'error') throw error;
      console.warn(error.message);
    },
  };
}
