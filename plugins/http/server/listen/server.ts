import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import type { Logger, Runtime } from '../../../../kernel/index.js';
import { logSafely } from '../../../../scope/index.js';
import { awaitContinue } from '../../body/discard-rest.js';
import { ActiveWork } from '../drain/active-work.js';
import { Shutdown } from '../drain/shutdown.js';
import { fold, layersAround } from '../serve/around.js';
import { stopReading } from '../serve/pipelined.js';
import { whenDone } from '../serve/response-end.js';
import { type HttpTransport, httpTransportOf, listenError } from '../transport.js';
import type { DevAccess } from './development.js';
import { rejectConnect, type UpgradeServer, Upgrades } from './upgrades.js';

interface ConnectionLimits {
  /** Milliseconds for the head of a request. */
  readonly headersTimeout: number;
  /** Milliseconds for a whole request. */
  readonly requestTimeout: number;
  /** Milliseconds between two requests. */
  readonly keepAliveTimeout: number;
  /** Bytes of the head of a request. */
  readonly maxHeaderSize: number;
  readonly maxConnections: number;
  readonly maxRequestsPerConnection: number;
}

/**
 * Milliseconds between two looks of Node for connections that are too slow, which is how much later than said a time-out may
 * act. Node's own 30 seconds would make most values meaningless; a look takes some microseconds.
 */
const TIMEOUT_CHECK_MS = 1_000;

/** Node documents it as an option of `createServer` alone, and reads it from here with each connection. */
interface Tunable extends Server {
  maxHeaderSize?: number;
}

/** Sets the limits of a server, and closes connections that are too many. */
class ConnectionLimiter {
  readonly #node: Tunable;
  readonly #sockets: ReadonlySet<Socket>;
  #maxConnections = 0;
  #logger: Logger | undefined;
  /** Whether it has been reported that connections are too many, and they have not become fewer since. */
  #isFull = false;

  /** `sockets` are the connections that are open, the newest included. */
  constructor(node: Server, sockets: ReadonlySet<Socket>) {
    this.#node = node;
    this.#sockets = sockets;
  }

  apply(limits: ConnectionLimits, logger: Logger): void {
    const node = this.#node;
    node.headersTimeout = limits.headersTimeout;
    node.requestTimeout = limits.requestTimeout;
    node.keepAliveTimeout = limits.keepAliveTimeout;
    node.maxHeaderSize = limits.maxHeaderSize;
    node.maxRequestsPerSocket = limits.maxRequestsPerConnection;
    this.#maxConnections = limits.maxConnections;
    this.#logger = logger;
  }

  /**
   * Close a new connection that is one too many, without a word, as Node does: an answer would cost what is scarce. Node's own
   * limit is not used, since workers would pass such a connection on to each other for ever.
   */
  admit(socket: Socket): void {
    const max = this.#maxConnections;
    if (max === 0 || this.#sockets.size <= max) {
      // Not at once, or a server at its limit would report each of them.
      if (this.#isFull && this.#sockets.size <= max * 0.9) this.#isFull = false;
      return;
    }
    socket.destroy();
    if (this.#isFull) return;
    this.#isFull = true;
    const what = `More than ${max} connections (http.maxConnections): those that come now are closed.`;
    if (this.#logger) logSafely(this.#logger, 'warn', what);
  }
}

/** How long connections are waited for, and how many there may be. */
export interface ServerSettings extends ConnectionLimits, Pick<Shutdown, 'drainDelay' | 'drainLimit'> {
  /** Names under which `fwk dev` may be asked. */
  readonly devHosts: readonly string[];
}

/**
 * Node's server, and the listener that answers its requests. It outlives versions: `replaceListener` loses no
 * request. Without `listen` it answers the requests that it is given: by Express, by `fetch`.
 */
export class HttpServer {
  readonly node: Server;
  readonly #upgrades: Upgrades;
  readonly #runtime: Runtime;
  readonly shutdown: Shutdown;
  readonly #limiter: ConnectionLimiter;
  readonly #sockets = new Set<Socket>();
  /** Requests that came before any listener answers. */
  readonly #waiting: Parameters<RequestListener>[] = [];
  readonly #early: RequestListener = (raw, out) => {
    // Requests that have been read wait here; the rest waits at the client.
    stopReading(raw.socket);
    this.#waiting.push([raw, out]);
  };
  /** Where versions follow, requests wait for the next while the first is rolled back. */
  #listener: RequestListener = (raw, out) =>
    this.#runtime.reloads ? this.#early(raw, out) : void out.writeHead(503).end();
  /** Answers again after a rollback. One step only, or every version would stay in memory. */
  #before = this.#listener;
  #devHosts: readonly string[] = [];
  /** The listener that Node calls, once one answers. */
  #entry: RequestListener = this.#early;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    // Options that only later versions of Node know: to spare requests without a body the cost of a stream, and to answer
    // those that offer an upgrade.
    const shouldUpgradeCallback = (raw: IncomingMessage): boolean => this.#upgrades.takes(raw);
    const newer = { optimizeEmptyRequests: true, shouldUpgradeCallback };
    const options: ServerOptions = { connectionsCheckingInterval: TIMEOUT_CHECK_MS, ...newer };
    this.node = createServer(options).on('connection', (socket: Socket) => {
      // One that has ignored an upgrade is emitted again.
      if (this.#sockets.has(socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      this.#limiter.admit(socket);
    });
    this.#limiter = new ConnectionLimiter(this.node, this.#sockets);
    this.#upgrades = new Upgrades(this.node, httpTransportOf(runtime) !== undefined);
    this.node.on('checkContinue', (raw, out) => {
      awaitContinue(raw, out);
      this.node.emit('request', raw, out);
    });
    this.node.on('connect', rejectConnect);
    const receive = (listener: RequestListener) => this.#receive(listener);
    this.shutdown = new Shutdown({ node: this.node, sockets: this.#sockets, receive }, runtime);
  }

  /** Whether the process is about to end, and nobody will serve in its place: it is not ready any more. */
  get isEnding(): boolean {
    return this.shutdown.isAnnounced;
  }

  /**
   * Run `end` when another process takes the place of this one, to end streams and sockets that would not end by themselves.
   * Requests still come on connections that are kept: they are answered as before, until the runtime is closed.
   */
  onRetire(end: () => void): void {
    this.shutdown.onRetire(end);
  }

  /** Have other settings from now on: an edit of the config may have changed them. */
  configure(settings: ServerSettings, logger: Logger): void {
    this.#devHosts = settings.devHosts;
    this.shutdown.drainLimit = settings.drainLimit;
    this.shutdown.drainDelay = settings.drainDelay;
    this.#limiter.apply(settings, logger);
  }

  get upgrades(): UpgradeServer {
    return this.#upgrades;
  }

  /** Answer all that comes over connections in memory as over those of a server that listens, upgrades included. Before the first. */
  ownConnections(): void {
    this.#upgrades.own();
  }

  /** Listen where `transport` says, and add the addresses to its `urls`. Throws a BootError where it cannot listen. */
  async listen(transport: HttpTransport): Promise<void> {
    const { host, port } = transport;
    this.node.on('request', this.#early);
    this.#upgrades.watch();
    await new Promise<void>((resolve, reject) => {
      this.node.once('error', (cause: NodeJS.ErrnoException) =>
        reject(listenError(cause, transport, this.#runtime.reloads)),
      );
      this.node.listen(port, host, resolve);
    });
    const { port: chosen } = this.node.address() as AddressInfo;
    transport.urls.push(`http://${host.includes(':') ? `[${host}]` : host}:${chosen}/`);
  }

  /** For pages of `fwk dev` itself. Loads what only they need. */
  async devAccess(): Promise<DevAccess> {
    const { devAccess } = await import('./development.js');
    return devAccess(httpTransportOf(this.#runtime)?.host ?? '', () => this.#devHosts);
  }

  /**
   * Answer requests with `listener` from now on. `idle` resolves when the requests which it has begun are done;
   * `rollback` puts the listener before back in its place.
   */
  replaceListener(listener: RequestListener): { idle(): Promise<void>; rollback(): void } {
    for (const [raw, out] of this.#waiting.splice(0))
      setImmediate(() => {
        raw.socket.resume();
        this.node.emit('request', raw, out);
      });
    // The only listener of a server of its own: closing that waits for its requests, and counting costs each of them.
    if (httpTransportOf(this.#runtime) && !this.#runtime.reloads) {
      this.#receive(fold(layersAround(this.#runtime), listener));
      return { idle: async () => {}, rollback: () => {} };
    }
    // The system may report a request before the save that came first; one turn later, both have been reported.
    if (this.#entry === this.#early) {
      const answer = fold(layersAround(this.#runtime), (raw, out) => this.dispatch(raw, out));
      this.#receive((raw, out) => void setImmediate(answer, raw, out));
    }
    const active = new ActiveWork();
    const counted: RequestListener = (raw, out) => {
      whenDone(out, active.begin());
      listener(raw, out);
    };
    this.#before = this.#listener;
    this.#listener = counted;
    return {
      idle: () => active.idle(),
      rollback: () => {
        if (this.#listener === counted) this.#listener = this.#before;
      },
    };
  }

  /** The listener stays: the one before it is released. */
  commit(): void {
    this.#before = this.#listener;
  }

  /** Have a request answered by the current listener; while a new version is being made, by that one's. */
  dispatch(...args: Parameters<RequestListener>): void {
    const { reloading } = this.#runtime;
    if (reloading) void reloading.then(() => this.dispatch(...args));
    else this.#listener(...args);
  }

  /** Have Node call `listener` from now on. Returns the listener that it called before. */
  #receive(listener: RequestListener): RequestListener {
    const before = this.#entry;
    this.node.off('request', before);
    this.#entry = listener;
    this.node.on('request', listener);
    this.#upgrades.begin();
    return before;
  }
}
