import { conventionDirectories } from '../../app/builtins.js';
import { type App, embed, usedLate } from '../../app/create-app.js';
import { locate, refuseWorkspaceRoot } from '../../app/locate.js';
import { loggerOf, silentLogger } from '../../app/loggers.js';
import { type Config, openKernel } from '../../app/open-kernel.js';
import { type BaseRoute, isObject, type Logger, type LogLevel, type LogMethod } from '../../kernel/index.js';
import { rootOfTests, testLoader } from '../../loader/index.js';
import type { PeersEngine } from '../../peers/index.js';

import type { GivenLogger } from '../../plugins/context/internal.js';
import { logCall, projectLogger, type RuntimeCtx } from '../../scope/index.js';
import { testError, withCodes } from '../test-error.js';
import { clockOf, isTestClock, type TestClock } from './clock.js';
import { Leaks, TestLeakError } from './leaks.js';
import type { TestVisitor } from './test-visitor.js';
import { type Asked, socketsTo, testVisitor } from './visitor.js';

/** What an app logged as an error: a handler, a callback of a socket or a tool has thrown, say. */
interface TestFailure {
  /** The line of the log: `GET /api/books failed in src/api/books.get.ts`. */
  readonly message: string;
  /** What was thrown; undefined where nothing was. */
  readonly error: unknown;
}

/** The errors alone, on stderr with their stacks: a test that gets a 500 shows why. */
const errorsOnly: GivenLogger = {
  debug() {},
  info() {},
  warn() {},
  error(message, ...details) {
    // It is no format: a `%d` in it would swallow what failed.
    console.error('%s', message, ...details);
  },
};

/** Notes in `failures` what is logged as an error, and hands all lines on to `inner`. */
class FailureLogger implements Logger {
  readonly #inner: Logger;
  readonly #failures: TestFailure[];
  readonly trace = this.#method('trace');
  readonly debug = this.#method('debug');
  readonly info = this.#method('info');
  readonly warn = this.#method('warn');
  readonly error = this.#method('error');
  readonly fatal = this.#method('fatal');

  constructor(inner: Logger, failures: TestFailure[]) {
    this.#inner = inner;
    this.#failures = failures;
  }

  get level(): string {
    return this.#inner.level;
  }

  set level(level: string) {
    this.#inner.level = level;
  }

  child(fields: Readonly<Record<string, unknown>>): Logger {
    return new FailureLogger(this.#inner.child(fields), this.#failures);
  }

  #method(level: LogLevel): LogMethod {
    return (first: object | string, ...rest: unknown[]): void => {
      if (level === 'error' || level === 'fatal') {
        const { message, thrown } = logCall(first, rest);
        this.#failures.push({ message, error: thrown[0] });
      }
      // What a logger promises is returned: whoever awaits it hears of its failure.
      return Reflect.apply(this.#inner[level], this.#inner, [first, ...rest]);
    };
  }
}

const WHAT_LEAKS_DO: readonly unknown[] = ['error', 'warn', 'ignore'];

interface Expected {
  readonly what: string;
  readonly accepts: (given: unknown) => boolean;
}

/** What the options of a test app have to be that neither the config nor a logger is. */
const OPTIONS: Readonly<Record<string, Expected>> = {
  dir: { what: 'the folder of a project', accepts: (given) => typeof given === 'string' },
  overrides: { what: 'an object of values of ctx', accepts: isObject },
  leaks: { what: '"error", "warn" or "ignore"', accepts: (given) => WHAT_LEAKS_DO.includes(given) },
  machine: {
    what: 'what the function of testMachines() gives',
    accepts: (given) => isObject(given) && typeof given.listen === 'function',
  },
  clock: { what: 'what testClock() gives', accepts: isTestClock },
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

/** What a test takes the place of in a project, beside options that override its `fwk.config`. */
export interface TestAppOptions extends Config {
  /** The project, as `--dir` takes it. Default: the current directory; under vitest the root of the vitest project. */
  readonly dir?: string;
  /** Values of `ctx` to use instead of the project's; what they replace is never made. */
  readonly overrides?: Partial<RuntimeCtx>;
  /** Where the app writes; `false`: nowhere. Default: errors alone, on stderr, so that a test that gets a 500 shows why. */
  readonly logger?: GivenLogger | false;
  /** One of `testMachines()`, for a test of several. */
  readonly machine?: PeersEngine;
  /**
   * What `close` does where code of the app has left timers, sockets, servers and the like open: rejects with a TestLeakError that
   * says where each was made, writes that to the console, or does not look. Looking makes promises slower. Default: `'ignore'`.
   */
  readonly leaks?: 'error' | 'warn' | 'ignore';
  /** `testClock()`: the time that sessions, limits, caches and time-outs go by. Default: that of the process. */
  readonly clock?: TestClock;
}

/** A booted project to ask in a test, without a port: its own first visitor, and what is behind it. */
export interface TestApp extends TestVisitor {
  /** Another visitor, with cookies of its own. `headers` are sent with all that it asks. */
  readonly visitor: (options?: { readonly headers?: Readonly<Record<string, string>> }) => TestVisitor;
  readonly routes: readonly BaseRoute[];
  /** The singletons. What lives for one request or visitor is in `run`. */
  readonly ctx: App['ctx'];
  /** Call a function with the `ctx` of a scope of its own, in which no request is served: see `App.run`. */
  readonly run: App['run'];
  /** What the app has logged as an error, in order: what handlers threw that was answered with 500, with its stack. */
  readonly errors: readonly TestFailure[];
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
  const loader = await testLoader(paths.root);
  const kernel = await openKernel({
    paths,
    mode,
    loader,
    logger: noting,
    override,
    beside: OWN_OPTIONS,
    overrides,
    clock,
  });
  const watch = leaks === 'error' || leaks === 'warn' ? new Leaks() : undefined;
  const inside: Asked['inside'] = (work) => (watch ? watch.run(work) : work());
  const embedded = await inside(() => embed(kernel, { machine, clock })).catch((thrown) => {
    watch?.stop();
    throw thrown;
  });
  const { app, project, server, runtime, runs } = embedded;
  // One that the project brings has taken its place.
  if (projectLogger(project).current !== noting)
    projectLogger(project).current = new FailureLogger(projectLogger(project).current, errors);
  server.ownConnections();
  let isChecked = false;
  const refuseLate = (what: string): void => {
    if (runs.isClosed) throw testError('FWK315', usedLate(what));
  };
  const asked: Asked = {
    node: server.node,
    routes: app.routes,
    openSocket: app.routes.some(({ kind }) => kind === 'ws') ? await socketsTo(server.node) : undefined,
    date: () => clock.date(),
    inside,
    refuseLate,
  };
  return {
    ...testVisitor(asked),
    visitor: ({ headers } = {}) => testVisitor(asked, headers),
    routes: app.routes,
    ctx: app.ctx,
    async run<T>(work: (ctx: RuntimeCtx) => T): Promise<Awaited<T>> {
      refuseLate('app.run()');
      return await inside(() => app.run(work));
    },
    errors,
    async close() {
      await app.close();
      if (!watch || isChecked) return;
      isChecked = true;
      const found = await watch.find({ calls: runs.left, cutOff: runtime.cutOff });
      if (found.length === 0) return;
      const error = new TestLeakError(found);
      if (leaks === 'error') throw error;
      console.warn(error.message);
    },
  };
}
