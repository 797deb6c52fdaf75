import { existsSync, realpathSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  type BaseRoute,
  type Clock,
  coded,
  type Kernel,
  type Project,
  type ProjectPaths,
  type Resolved,
  Runtime,
} from '../kernel/index.js';
import { upwards } from '../loader/index.js';
import { OneProcess, type PeersEngine, setMachinePeers, spanMachines } from '../peers/index.js';
import { type SingletonCtx, settledWithin } from '../plugins/context/index.js';
import { type CustomLogger, FleetingSession, Guest } from '../plugins/context/internal.js';
import { fetchFrom, followRedirects, type HttpServer, serverOf } from '../plugins/http/index.js';
import { EMBEDDED, isConnectionEnded, NOT_FOUND, nextOf } from '../plugins/http/internal.js';
import { type RuntimeCtx, type Scopes, scopesOf } from '../scope/index.js';
import { conventionDirectories } from './builtins.js';
import { markIn } from './locate.js';
import { loggerOrDefault } from './loggers.js';
import { type Config, openCompiled } from './open-kernel.js';

/** How long closing waits for running work, in milliseconds: the work may itself wait for the close. */
const END_TIMEOUT_MS = 10_000;

export const usedAfterClose = (what: string): string =>
  `${what} is used after app.close(). Close the app after its last use.`;

class Runs {
  readonly #running = new Set<Promise<unknown>>();
  isClosed = false;

  constructor(private readonly scopes: Scopes) {}

  async run<T>(work: (ctx: RuntimeCtx) => T): Promise<Awaited<T>> {
    if (this.isClosed) throw coded('FWK315', new Error(usedAfterClose('app.run()')));
    const running = this.#run(work);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  get openCount(): number {
    return this.#running.size;
  }

  /** Start no new work. Resolves when running work is done, and after END_TIMEOUT_MS at the latest. */
  async close(): Promise<void> {
    this.isClosed = true;
    await settledWithin(Promise.allSettled(this.#running), END_TIMEOUT_MS);
  }

  async #run<T>(work: (ctx: RuntimeCtx) => T): Promise<Awaited<T>> {
    const scope = this.scopes.open(new Guest(new FleetingSession(), 'app.run()'));
    try {
      return await work(scope.ctx);
    } finally {
      await scope.close();
    }
  }
}

/** A compiled project, and options that override its `fwk.config`. */
export interface AppOptions extends Config {
  /** The directory with `api/`, `web/` … Default: the directory of the module that makes the call. */
  readonly dir?: string;
  /**
   * Where the framework and `ctx.logger` write: pino, a logger with pino's interface, or `console`. A file `services/logger` takes
   * precedence. Default: the framework's own logger, configured by `log` in the config.
   */
  readonly logger?: CustomLogger;
}

/** A booted project that answers requests passed to it. It does not listen. */
export interface App {
  /** For `http.createServer(app.listener)`. */
  readonly listener: (raw: IncomingMessage, out: ServerResponse) => void;
  /** For Express and Connect: a request whose URL and method match no route of the app is passed to `next`. */
  readonly middleware: (raw: IncomingMessage, out: ServerResponse, next: (error?: unknown) => void) => void;
  /** For the `upgrade` event of a server. */
  readonly upgrade: (raw: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Answer a web Request without a socket. Returns redirects, unless `init` is `{ redirect: 'follow' }`. Rejects after the close. */
  readonly fetch: (request: Request, init?: Pick<RequestInit, 'redirect'>) => Promise<Response>;
  /** The route table, as `fwk routes` prints it. */
  readonly routes: readonly BaseRoute[];
  /** The singletons, for seeds and scripts. Use `run` for request and session values. */
  readonly ctx: SingletonCtx;
  /**
   * Call `work` with the `ctx` of a new scope, outside of any request: request values are made without `req`, session values are new and
   * never stored. Resolves with its result once the scope's values are disposed of. Rejects after the app is closed.
   */
  readonly run: <T>(work: (ctx: RuntimeCtx) => T) => Promise<Awaited<T>>;
  /** Let running requests and calls of `run` end, then dispose of services. */
  readonly close: () => Promise<void>;
}

/** Boot a compiled project without listening. Throws BootError with every problem of the project. */
export async function createApp({
  dir = directoryOfCaller(),
  logger,
  ...override
}: AppOptions = {}): Promise<App> {
  const mode = process.env.NODE_ENV ?? 'production';
  const kernel = await openCompiled({
    paths: compiledPaths(dir),
    mode,
    logger: loggerOrDefault(logger),
    override,
    knownOptions: ['dir', 'logger'],
  });
  return (await embed(kernel)).app;
}

export interface EmbedOptions {
  readonly machine?: PeersEngine | undefined;
  /** Default: the environment of the process. */
  readonly clock?: Clock | undefined;
}

export interface Embedded {
  readonly app: App;
  readonly project: Project;
  readonly runtime: Runtime;
  readonly server: HttpServer;
  readonly runs: Runs;
}

export async function embed(kernel: Kernel, { machine, clock }: EmbedOptions = {}): Promise<Embedded> {
  const runtime = new Runtime({ transport: EMBEDDED, reloads: false });
  setMachinePeers(runtime, new OneProcess(clock));
  if (machine) spanMachines(runtime, machine);
  const { project, routes, close } = await serveOn(kernel, runtime);
  const server = await serverOf(runtime);
  const { node, upgrades } = server;
  if (openApps++ === 0) process.on('unhandledRejection', ignoreEnded);
  runtime.onEnd(() => --openApps === 0 && process.off('unhandledRejection', ignoreEnded));
  const runs = new Runs(scopesOf(project));
  const app: App = {
    routes,
    // The generated types list the values that are singletons.
    ctx: scopesOf(project).outside as SingletonCtx,
    run: (work) => runs.run(work),
    listener: (raw, out) => void node.emit('request', raw, out),
    middleware: (raw, out, next) => {
      nextOf.set(out, next);
      node.emit('request', raw, out);
    },
    upgrade: (raw, socket, head) => {
      if (!node.emit('upgrade', raw, socket, head)) upgrades.sendProblem(raw, socket, NOT_FOUND);
    },
    fetch: (request, init) => {
      if (runs.isClosed) return Promise.reject(coded('FWK315', new Error(usedAfterClose('app.fetch()'))));
      const send = (one: Request) => fetchFrom(node, one);
      return init?.redirect === 'follow' ? followRedirects(send, request) : send(request);
    },
    close: async () => {
      const ended = runs.close();
      await runtime.close(async () => {
        await ended;
        await close();
      });
    },
  };
  return { app, project, runtime, server, runs };
}

/**
 * A callback that awaits `send` for a client that has disconnected must not end the process of another server. Other rejections
 * end it as they would without this listener.
 */
function ignoreEnded(reason: unknown): void {
  if (process.listenerCount('unhandledRejection') === 1 && !isConnectionEnded(reason)) throw reason;
}

let openApps = 0;

/** The directory of the module that calls this package now. If that is a helper outside of the project, the entry file's directory. */
export function directoryOfCaller(): string {
  const entry = existsSync(process.argv[1] ?? '')
    ? dirname(realpathSync(process.argv[1] ?? ''))
    : process.cwd();
  const caller = callingModule();
  const own = caller === undefined ? entry : dirname(caller);
  if (own === entry || own.split(sep).includes('node_modules')) return entry;
  const marks = conventionDirectories();
  return markIn(own, marks) === undefined && markIn(entry, marks) !== undefined ? entry : own;
}

/** The path of the innermost module on the stack that is not part of this package. */
function callingModule(): string | undefined {
  const own = dirname(fileURLToPath(import.meta.url));
  const { prepareStackTrace } = Error;
  try {
    // A source map would replace the compiled file by its source.
    Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName());
    const names = new Error().stack as readonly unknown[] | undefined;
    const paths = (names ?? []).map((name) =>
      typeof name === 'string' && name.startsWith('file:') ? fileURLToPath(name) : name,
    );
    return paths.find(
      (path): path is string => typeof path === 'string' && isAbsolute(path) && !path.startsWith(own),
    );
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

export function compiledPaths(dir: string): ProjectPaths {
  const source = resolve(dir);
  for (const root of upwards(source)) if (existsSync(join(root, 'package.json'))) return { root, source };
  return { root: source, source };
}

export async function serveOn(kernel: Kernel, runtime: Runtime): Promise<Resolved> {
  try {
    return await kernel.serve(runtime);
  } catch (thrown) {
    // A plugin may have started work for the runtime that would keep this process alive.
    await runtime.close(() => {}).catch(() => {});
    throw thrown;
  }
}
