import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { BootError, type Kernel, type Logger, type ProjectPaths, Runtime } from '../kernel/index.js';
import { setMachinePeers } from '../peers/index.js';
import type { CustomLogger } from '../plugins/context/internal.js';
import { type HttpServer, serverOf } from '../plugins/http/index.js';
import { httpTransport, movesOf } from '../plugins/http/internal.js';
import { logSafely } from '../scope/index.js';
import { findConfig } from './config.js';
import { type AppOptions, compiledPaths, directoryOfCaller } from './create-app.js';
import { portFromEnvironment } from './env.js';
import { loggerOrDefault, recorded } from './loggers.js';
import { openCompiled } from './open-kernel.js';
import { endOnCrash, exitWith, Signals, untilIdle } from './process-end.js';
import { describeProblems, reportProblems } from './report-problems.js';
import type { NeverServed, StopMode, WorkerLink } from './workers/index.js';

/** The options of `bootstrap`. */
export interface BootstrapOptions extends AppOptions {
  /** Default: the environment variable `HOST`, else every interface. */
  readonly host?: string;
  /** Default: the environment variable `PORT`, else 3000. */
  readonly port?: number;
  /**
   * How many worker processes serve; `auto`: the environment variable `WEB_CONCURRENCY`, else one per core. The primary process then
   * serves nothing: it starts and replaces workers, and replaces all of them at SIGHUP. Default: no workers; SIGHUP then means SIGTERM.
   */
  readonly workers?: number | 'auto';
}

type ServeOptions = Omit<BootstrapOptions, 'workers'> & { readonly dir: string };

/**
 * Serve the compiled project that the entry file is in. Resolves with its addresses, and logs them, once it listens. At SIGINT or
 * SIGTERM it stops accepting connections, lets requests end, disposes of services, and exits: with 0, or with 1 if requests were
 * aborted at `http.drainLimit`. A second signal exits at once. If the project cannot start, it reports each problem and exits with 1.
 * With `workers` it resolves in the primary process only: code before the call runs in each worker too, code after it runs once.
 */
export async function bootstrap(options: BootstrapOptions = {}): Promise<readonly string[]> {
  // Before the first await, after which the stack has no caller.
  const { workers, ...own } = { ...options, dir: options.dir ?? directoryOfCaller() };
  process.env.NODE_ENV ??= 'production';
  // From Node 22.8 on, the next start doesn't compile the same modules. Coverage is less precise with the cache.
  if (!process.env.NODE_V8_COVERAGE) (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  const signals = new Signals();
  let mine: WorkerLink | undefined;
  try {
    if (workers === undefined) return await serveInOneProcess(own, signals);
    const { workerLink, workerCount } = await import('./workers/index.js');
    mine = workerLink();
    if (!mine) return await supervise(workerCount(workers), signals, own.logger);
    // The primary reports the consequences.
    signals.release();
    return await serveAsWorker(own, mine);
  } catch (thrown) {
    if (!(thrown instanceof BootError)) throw thrown;
    reportProblems(thrown);
    if (!mine) process.exit(1);
    mine.fail();
    return new Promise(() => {});
  }
}

async function serveInOneProcess(options: ServeOptions, signals: Signals): Promise<readonly string[]> {
  const { runtime, transport, close, logger } = await serve(options);
  const server = await serverOf(runtime);
  const end = async (status: (closed: number) => number) => {
    const closed = await close();
    await untilIdle();
    exitWith(status(closed));
  };
  endOnCrash({ logger, drainLimit: server.shutdown.drainLimit, end: () => end(() => 1) });
  // Closing a terminal sends SIGHUP, and then nobody is left to serve.
  void signals.stopped('SIGHUP').then(async () => {
    await server.shutdown.announce();
    await end((closed) => closed);
  });
  logAddresses(logger, transport.urls);
  warnAboutDevelopment(logger);
  return transport.urls;
}

async function serveAsWorker(options: ServeOptions, link: WorkerLink): Promise<never> {
  const { runtime, transport, close, logger, log } = await serve(options, link);
  const server = await serverOf(runtime);
  const { shutdown } = server;
  let isRetiring = false;
  let isLeaving = false;
  const leave = () => {
    if (isLeaving) return;
    isLeaving = true;
    void close().then(link.leave);
  };
  const crash = async () => {
    if (isLeaving) return;
    isLeaving = true;
    link.crashes();
    shutdown.abandonConnections();
    await close();
    await link.leave(1);
  };
  endOnCrash({ logger, drainLimit: shutdown.drainLimit, end: crash });
  const stopAccepting = async () => {
    shutdown.hangUp();
    await shutdown.stopAccepting(link.messagesArrived);
    link.refuses();
  };
  const stop = (how: StopMode) => {
    if (how === 'announce') return void shutdown.announce();
    if (how === 'stop') return void stopAccepting();
    if (how === 'finish') return leave();
    // Otherwise, closing waits for keep-alive clients.
    if (isRetiring) return shutdown.hangUp();
    isRetiring = true;
    void shutdown.retire(link.moves).then(leave);
  };
  const take: HttpServer['take'] = (parcel, handle) => server.take(parcel, handle);
  link.serves({ urls: transport.urls, drainDelay: shutdown.drainDelay, log }, { stop, take });
  return new Promise(() => {});
}

async function supervise(
  count: number,
  signals: Signals,
  logger: CustomLogger | undefined,
): Promise<readonly string[]> {
  const { Primary } = await import('./workers/index.js');
  const primary = new Primary(count, loggerOrDefault(logger));
  let serves = false;
  let isReloadRequested = false;
  let isStopping = false;
  process.on('SIGHUP', () => {
    if (serves) void primary.reload();
    else isReloadRequested = true;
  });
  void signals.stopped().then(async (status) => {
    isStopping = true;
    const ended = await primary.stop();
    await untilIdle();
    process.exit(ended ?? status);
  });
  const started = await primary.start();
  if (isStopping) return new Promise(() => {});
  if ('ending' in started) return abandon(started);
  serves = true;
  if (isReloadRequested) void primary.reload();
  logAddresses(primary.logger, started, ` with ${count} worker${count === 1 ? '' : 's'}`);
  warnAboutDevelopment(primary.logger);
  return started;
}

/** The wildcard address has no name that a browser accepts, so this machine's own address is used. */
const named = (url: string): string =>
  url.replace(/\/\/(\[::\]|0\.0\.0\.0)(:\d+\/)/, '//localhost$2 (every address, $1)');

function logAddresses(logger: Logger, urls: readonly string[], how = ''): void {
  logSafely(logger, 'info', `Listening on ${urls.map(named).join(' and ')}${how}`);
}

function warnAboutDevelopment(logger: Logger): void {
  if (process.env.NODE_ENV === 'development')
    logSafely(logger, 'warn', {
      code: 'FWK204',
      text: 'NODE_ENV is "development", so responses contain error messages and stack traces. Set it to "production" on servers, and use fwk dev to develop.',
    });
}

function abandon({ ending, hasReported }: NeverServed): never {
  if (!hasReported)
    console.error(
      `The first worker ended with ${ending} before it served requests. The app does not start any other workers.`,
    );
  process.exit(typeof ending === 'number' && ending > 0 ? ending : 1);
}

/** Throws a BootError if the directory has nothing to serve, since every request would then get a 404. */
function refuseEmpty(kernel: Kernel, { root, source }: ProjectPaths): void {
  if (kernel.entries().length > 0 || findConfig(source) !== undefined || existsSync(join(root, 'public')))
    return;
  throw new BootError({
    message: `${source} has no api/, web/ or other directory of a project, so every request would get a 404. Pass the directory of the compiled project: bootstrap({ dir: import.meta.dirname }).`,
    code: 'FWK605',
  });
}

async function serve({ dir, host, port, logger, ...override }: ServeOptions, link?: WorkerLink) {
  const mode = process.env.NODE_ENV ?? 'production';
  // Makes stacks point into the sources. Throwing costs nothing more; reading a stack takes 11 µs instead of 4.
  if (existsSync(`${realpathSync(process.argv[1] ?? '.')}.map`)) process.setSourceMapsEnabled(true);
  const own = recorded(logger);
  const paths = compiledPaths(dir);
  const kernel = await openCompiled({
    paths,
    mode,
    logger: own.logger,
    override,
    knownOptions: ['dir', 'host', 'port', 'workers', 'logger'],
    eager: link !== undefined,
  });
  if (override.plugins === undefined) refuseEmpty(kernel, paths);
  const transport = httpTransport(host || process.env.HOST || '::', port ?? portFromEnvironment());
  const runtime = new Runtime({ transport, reloads: false });
  if (link) {
    setMachinePeers(runtime, link.peers);
    movesOf(runtime, link.moves);
  }
  const { close, project } = await kernel.serve(runtime);
  return {
    runtime,
    logger: project.logger,
    log: own.settings(),
    transport,
    close: async () => {
      try {
        await runtime.close(close);
      } catch (thrown) {
        const text = thrown instanceof BootError ? describeProblems(thrown) : thrown;
        console.error('The app failed to shut down:', text);
        return 1;
      }
      return runtime.cutOff ? 1 : 0;
    },
  };
}
