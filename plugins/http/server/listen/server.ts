import { closeSync, openSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net';
import { devNull } from 'node:os';
import { setImmediate } from 'node:timers';
import type { Logger, Runtime } from '../../../../kernel/index.js';
import { isTooManyOpenFiles } from '../../../../loader/index.js';
import { logSafely } from '../../../../scope/index.js';
import { awaitContinue } from '../../body/discard-rest.js';
import { sendRejection } from '../../errors/send-rejection.js';
import { arrivalOf } from '../../request/exchange.js';
import { ActiveWork } from '../drain/active-work.js';
import { type Handover, type Parcel, takeConnection } from '../drain/handover.js';
import { Shutdown } from '../drain/shutdown.js';
import { fold, layersAround } from '../serve/around.js';
import { resumeReading, stopReading } from '../serve/pipelined.js';
import { whenDone } from '../serve/response-end.js';
import { type HttpTransport, httpTransportOf, listenError } from '../transport.js';
import type { DevAccess } from './development.js';
import { type Rejection, rejectConnect, type UpgradeServer, Upgrades } from './upgrades.js';

interface ConnectionLimits {
  /** Milliseconds to receive the head of a request. */
  readonly headersTimeout: number;
  /** Milliseconds to receive a whole request. */
  readonly requestTimeout: number;
  /** Milliseconds between two requests. */
  readonly keepAliveTimeout: number;
  /** Bytes in the head of a request. */
  readonly maxHeaderSize: number;
  readonly maxConnections: number;
  readonly maxRequestsPerConnection: number;
}

/**
 * Milliseconds between Node's checks for slow connections, which is also how late a timeout may fire. Node's default of 30
 * seconds would make most values meaningless; a check takes some microseconds.
 */
const TIMEOUT_CHECK_MS = 1_000;

/** Milliseconds between two warnings that no file descriptor is left. */
const DESCRIPTORS_WARNING_MS = 60_000;

/** An undocumented field of Node. */
interface SocketWithHandle extends Socket {
  readonly _handle?: { readonly fd?: number } | null;
}

/** Node only documents this as an option of `createServer`, but reads it from the server for each connection. */
interface ServerWithHeaderLimit extends Server {
  maxHeaderSize?: number;
}

/** Sets the limits of a server, and closes excess connections. */
class ConnectionLimiter {
  #maxConnections = 0;
  #logger: Logger | undefined;
  /** Whether the limit was reported and the number of connections hasn't dropped since. */
  #isFull = false;
  #highestDescriptor = 0;
  #warnsAgainAt = 0;

  constructor(
    private readonly node: ServerWithHeaderLimit,
    /** The open connections, including the newest. */
    private readonly sockets: ReadonlySet<Socket>,
  ) {}

  apply(limits: ConnectionLimits, logger: Logger): void {
    const node = this.node;
    node.headersTimeout = limits.headersTimeout;
    node.requestTimeout = limits.requestTimeout;
    node.keepAliveTimeout = limits.keepAliveTimeout;
    node.maxHeaderSize = limits.maxHeaderSize;
    node.maxRequestsPerSocket = limits.maxRequestsPerConnection;
    this.#maxConnections = limits.maxConnections;
    this.#logger = logger;
  }

  /**
   * Silently close a new connection that exceeds the limit, as Node does: a response would cost scarce resources. Node's own
   * limit isn't used, because workers would pass such a connection on to each other forever.
   */
  admit(socket: Socket): void {
    this.#checkDescriptors(socket);
    const max = this.#maxConnections;
    if (max === 0 || this.sockets.size <= max) {
      // With hysteresis, because a server at its limit would otherwise report each connection.
      if (this.#isFull && this.sockets.size <= max * 0.9) this.#isFull = false;
      return;
    }
    socket.destroy();
    if (this.#isFull) return;
    this.#isFull = true;
    this.#warn(`More than ${max} connections (http.maxConnections): new connections are closed.`);
  }

  /**
   * Warn if a connection has the last free file descriptor: libuv closes further connections without a word. The system assigns
   * the lowest free descriptor, so it can't be the last one if an earlier connection had a higher one.
   */
  #checkDescriptors({ _handle }: SocketWithHandle): void {
    const { fd = -1 } = _handle ?? {};
    if (fd < this.#highestDescriptor) return;
    const now = performance.now();
    if (fd === this.#highestDescriptor && now < this.#warnsAgainAt) return;
    this.#highestDescriptor = fd;
    this.#warnsAgainAt = now + DESCRIPTORS_WARNING_MS;
    try {
      closeSync(openSync(devNull, 'r'));
    } catch (error) {
      if (isTooManyOpenFiles(error))
        this.#warn(
          'No file descriptor is left: new connections are closed. Raise the limit (ulimit -n), or set http.maxConnections below it.',
        );
    }
  }

  #warn(text: string): void {
    if (this.#logger) logSafely(this.#logger, 'warn', text);
  }
}

/** The limits of connections, and the times of the shutdown. */
export interface ServerSettings extends ConnectionLimits, Pick<Shutdown, 'drainDelay' | 'drainLimit'> {
  /** Host names that `fwk dev` answers to. */
  readonly devHosts: readonly string[];
}

/**
 * Node's server, and the listener that answers its requests. It outlives project versions: `replaceListener` loses no
 * request. Without `listen`, it answers requests that it is given by Express or `fetch`.
 */
export class HttpServer {
  readonly node: Server;
  readonly #upgrades: Upgrades;
  readonly #runtime: Runtime;
  readonly shutdown: Shutdown;
  readonly #limiter: ConnectionLimiter;
  readonly #sockets = new Set<Socket>();
  #isTaking = false;
  /** Requests that arrived before the first listener was set. */
  readonly #waiting: Parameters<RequestListener>[] = [];
  readonly #early: RequestListener = (raw, out) => {
    // Requests that are already read wait here; the others wait at the client.
    stopReading(raw.socket);
    this.#waiting.push([raw, out]);
  };
  /** If versions can change, requests wait for the next one while the first is rolled back. */
  #listener: RequestListener = (raw, out) =>
    this.#runtime.reloads ? this.#early(raw, out) : void out.writeHead(503).end();
  /** Answers again after a rollback. Only one is kept, or every version would stay in memory. */
  #before = this.#listener;
  #devHosts: readonly string[] = [];
  /** The listener that answers the requests that aren't rejected. */
  #answer: RequestListener = this.#early;
  /** The listener that Node calls. */
  #entry: RequestListener = this.#early;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    // Options that only newer versions of Node support: to avoid the cost of a stream for requests without a body, and to
    // answer requests that offer an upgrade.
    const shouldUpgradeCallback = (raw: IncomingMessage): boolean => this.#upgrades.takes(raw);
    const newer = { optimizeEmptyRequests: true, shouldUpgradeCallback };
    const options: ServerOptions = { connectionsCheckingInterval: TIMEOUT_CHECK_MS, ...newer };
    this.node = createServer(options).on('connection', (socket: Socket) => {
      // A connection that has ignored an upgrade is emitted again.
      if (this.#sockets.has(socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      if (!this.#isTaking) this.#limiter.admit(socket);
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

  /** Whether the process is about to end and no other process takes over, so it is no longer ready. */
  get isEnding(): boolean {
    return this.shutdown.isAnnounced;
  }

  /**
   * Run `end` when another process replaces this one, to close streams and sockets that would not close by themselves.
   * Requests still arrive on kept connections and are answered as before until the runtime is closed. `handover` moves
   * connections to the other process; without it, connections cannot move.
   */
  onRetire(end: (handover?: Handover) => unknown): void {
    this.shutdown.onRetire(end);
  }

  /** Serve a connection that another process has handed over. It counts as an existing one. Returns whether it is served. */
  take(parcel: Parcel, handle: object): boolean {
    this.#isTaking = true;
    const isTaken = takeConnection(this.node, parcel, handle);
    this.#isTaking = false;
    return isTaken;
  }

  /** Change the settings, because the config may have been edited. */
  configure(settings: ServerSettings, logger: Logger): void {
    this.#devHosts = settings.devHosts;
    this.shutdown.drainLimit = settings.drainLimit;
    this.shutdown.drainDelay = settings.drainDelay;
    this.#limiter.apply(settings, logger);
  }

  get upgrades(): UpgradeServer {
    return this.#upgrades;
  }

  /** Treat in-memory connections like connections of a listening server, including upgrades. Call it before the first connection. */
  ownConnections(): void {
    this.#upgrades.own();
  }

  /** Listen as `transport` specifies, and add the addresses to its `urls`. Throws a BootError if it can't listen. */
  async listen(transport: HttpTransport): Promise<void> {
    const { host, port } = transport;
    this.node.on('request', this.#early);
    this.#upgrades.watch();
    await new Promise<void>((resolve, reject) => {
      this.node.once('error', (cause: NodeJS.ErrnoException) =>
        reject(listenError(cause, transport, this.#runtime.reloads)),
      );
      // Without a host, Node listens on IPv4 if the machine has no IPv6.
      this.node.listen(port, host === '::' ? undefined : host, resolve);
    });
    const { port: chosen, family, address } = this.node.address() as AddressInfo;
    if (host === 'localhost' && this.#runtime.reloads) await this.#listenOnOther(family, chosen);
    const shown = host === '::' ? address : host;
    transport.urls.push(`http://${shown.includes(':') ? `[${shown}]` : shown}:${chosen}/`);
  }

  /** Listen on the loopback address of the other family, too: clients may resolve `localhost` to either. Fails silently. */
  async #listenOnOther(family: string, port: number): Promise<void> {
    const other = createNetServer((socket) => this.node.emit('connection', socket));
    await new Promise<void>((resolve) => {
      other.once('error', () => resolve());
      other.listen({ port, host: family === 'IPv6' ? '127.0.0.1' : '::1' }, resolve);
    });
    this.#runtime.onClose(() => void other.close());
  }

  /** Access control for the pages of `fwk dev` itself. Loads its modules on demand. */
  async devAccess(): Promise<DevAccess> {
    const { devAccess } = await import('./development.js');
    return devAccess(httpTransportOf(this.#runtime)?.host ?? '', () => this.#devHosts);
  }

  /** Answer with `listener` from now on. `idle` awaits its requests; `rollback` restores the previous one. */
  replaceListener(listener: RequestListener): { idle(): Promise<void>; rollback(): void } {
    for (const [raw, out] of this.#waiting.splice(0))
      setImmediate(() => {
        resumeReading(raw.socket);
        this.node.emit('request', raw, out);
      });
    // The only listener of an owned server: closing the server waits for its requests, and counting would slow down each of them.
    if (httpTransportOf(this.#runtime) && !this.#runtime.reloads) {
      this.#receive(fold(layersAround(this.#runtime), listener));
      return { idle: async () => {}, rollback: () => {} };
    }
    // The operating system may report a request before the file change that preceded it. One turn later, both have been reported.
    if (this.#answer === this.#early) {
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

  /** Keep the current listener, and release the previous one. */
  commit(): void {
    this.#before = this.#listener;
  }

  /** Pass a request to the current listener, or to the listener of the next version if one is being created. */
  dispatch(...args: Parameters<RequestListener>): void {
    const { reloading } = this.#runtime;
    if (reloading) void reloading.then(() => this.dispatch(...args));
    else this.#listener(...args);
  }

  /**
   * Call `reject` with each request and handshake from now on, and send the problem that it returns. Nothing is called for
   * `undefined`, so that requests are as fast as before.
   */
  rejectWith(reject: Rejection | undefined): void {
    this.#upgrades.reject = reject;
    const answer = this.#answer;
    this.#enter(
      reject
        ? (raw, out) => {
            // A connection of another process has been accepted already.
            const problem = arrivalOf(raw) ? undefined : reject(raw);
            if (problem) sendRejection(raw, out, problem);
            else answer(raw, out);
          }
        : answer,
    );
  }

  /** Answer requests with `listener` from now on. Returns the previous listener. */
  #receive(listener: RequestListener): RequestListener {
    const before = this.#answer;
    this.#answer = listener;
    this.rejectWith(this.#upgrades.reject);
    this.#upgrades.begin();
    return before;
  }

  #enter(listener: RequestListener): void {
    this.node.off('request', this.#entry);
    this.#entry = listener;
    this.node.on('request', listener);
  }
}
