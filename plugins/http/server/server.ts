import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Runtime } from '../../../kernel/index.js';
import { awaitContinue } from '../body/expect-continue.js';
import { ActiveRequests } from './active-requests.js';
import { acceptWaiting } from './backlog.js';
import { Drain, GRACE_MS } from './drain.js';
import { listenError } from './listen-error.js';
import { stopReading } from './pipelined.js';
import { type HttpTransport, httpTransportOf } from './transport.js';
import { rejectConnect } from './upgrade.js';
import { type UpgradeServer, Upgrades } from './upgrade-server.js';

/** Milliseconds for which a shutdown waits, unless the config says otherwise. */
export const DRAIN_LIMIT_MS = 10_000;

/**
 * Node's server, and the listener that answers its requests. It outlives versions: `replaceListener` loses no
 * request. Without `listen` it answers the requests that it is given: by Express, by `fetch`.
 */
export class HttpServer {
  /** Emits `request` and `upgrade`. */
  readonly node: Server;
  readonly #upgrades: Upgrades;
  readonly #runtime: Runtime;
  /** Milliseconds for which closing waits for requests; an edit of the config may change it. */
  drainLimit = DRAIN_LIMIT_MS;
  readonly #sockets = new Set<Socket>();
  /** Requests that came before any listener answers. */
  readonly #waiting: Parameters<RequestListener>[] = [];
  readonly #early: RequestListener = (raw, out) => {
    // Requests that have been read wait here; the rest waits at the client.
    stopReading(raw.socket);
    this.#waiting.push([raw, out]);
  };
  #listener: RequestListener = (_raw, out) => void out.writeHead(503).end();
  /** Answers again after a rollback. One step only, or every version would stay in memory. */
  #before = this.#listener;
  /** The listener that Node calls, once one answers. */
  #entry: RequestListener = this.#early;
  /** Resolves when all connections have ended; undefined while new ones are accepted. */
  #ended: Promise<void> | undefined;
  /** Resolves when none is accepted any more. */
  #stopped: Promise<void> | undefined;
  #drain: Drain | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    // Options that only later versions of Node know: to spare requests without a body the cost of a stream, and to answer
    // those that offer an upgrade.
    const shouldUpgradeCallback = (raw: IncomingMessage): boolean => this.#upgrades.takes(raw);
    const newer = { optimizeEmptyRequests: true, shouldUpgradeCallback };
    const options: ServerOptions = { keepAliveTimeout: 5_000, ...newer };
    this.node = createServer(options).on('connection', (socket: Socket) => {
      // One that has ignored an upgrade is emitted again.
      if (this.#sockets.has(socket)) return;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#upgrades = new Upgrades(this.node, httpTransportOf(runtime) !== undefined);
    this.node.on('checkContinue', (raw, out) => {
      awaitContinue(raw, out);
      this.node.emit('request', raw, out);
    });
    this.node.on('connect', rejectConnect);
    runtime.onClose(() => this.#close());
  }

  get upgrades(): UpgradeServer {
    return this.#upgrades;
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
      this.#receive(listener);
      return { idle: async () => {}, rollback: () => {} };
    }
    // The system may report a request before the save that came first; one turn later, both have been reported.
    if (this.#entry === this.#early)
      this.#receive((raw, out) => void setImmediate(() => this.dispatch(raw, out)));
    const active = new ActiveRequests(listener);
    this.#before = this.#listener;
    this.#listener = active.listener;
    return {
      idle: () => active.idle(),
      rollback: () => {
        if (this.#listener === active.listener) this.#listener = this.#before;
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

  /**
   * Accept nothing more, since other processes do, before the runtime is closed. Connections that are there have their
   * next request answered here, with `Connection: close`: no client notices.
   */
  retire(): void {
    this.#stopListening();
    // For as long as clients may use them again.
    this.#begin(this.node.keepAliveTimeout);
  }

  /**
   * Accept what waits in the kernel's backlog, then nothing more: closing resets what still waits there. Resolves when that is
   * done. `nextTurn` resolves when about one more connection has been accepted: by default after a turn of this process's
   * event loop; in a worker, where the primary accepts connections and hands them over, after a message to the primary and back.
   */
  stopAccepting(nextTurn = (): Promise<unknown> => new Promise(setImmediate)): Promise<void> {
    this.#stopped ??= acceptWaiting(this.node, nextTurn, this.#ended ? 0 : GRACE_MS).then(() =>
      this.#stopListening(),
    );
    return this.#stopped;
  }

  /** Wait no longer for next requests on connections that are kept: no other process answers them. */
  hangUp(): void {
    this.#drain?.shorten(Math.min(GRACE_MS, this.drainLimit));
  }

  #receive(listener: RequestListener): void {
    this.node.off('request', this.#entry);
    this.#entry = listener;
    this.node.on('request', listener);
    this.#upgrades.begin();
  }

  #stopListening(): void {
    // Node's own server would close connections on which requests or responses may be under way.
    this.#ended ??= new Promise((resolve) => NetServer.prototype.close.call(this.node, () => resolve()));
  }

  #begin(grace: number): Drain {
    const drain = new Drain(this.#sockets, this.#entry, Math.min(grace, this.drainLimit));
    this.node.on('connection', (socket: Socket) => drain.watch(socket));
    this.#receive((raw, out) => drain.admit(raw, out));
    this.#drain = drain;
    return drain;
  }

  /** Accept nothing more and let running requests finish; past the limit, cut them off. */
  async #close(): Promise<void> {
    // Otherwise its connections are in memory or another server's, and end with their requests.
    if (!httpTransportOf(this.#runtime)) return;
    await this.stopAccepting();
    const drain = this.#drain ?? this.#begin(GRACE_MS);
    const limit = setTimeout(() => {
      if (drain.cut()) this.#runtime.cutOff = true;
    }, this.drainLimit);
    await this.#ended;
    clearTimeout(limit);
  }
}
