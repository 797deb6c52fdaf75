import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BootError, type Shell } from '../../kernel/index.js';
import { awaitContinue } from './body/continue.js';
import { whenDone } from './outlive.js';
import { stopReading } from './queued.js';
import { ignoreUpgrade, isHandshake, refuseConnect } from './upgrade.js';

type Greeting = [raw: IncomingMessage, socket: Duplex, head: Buffer];

/**
 * Node's server, and what answers its requests. It outlives generations: `use` swaps what answers, and loses no
 * request. Without `listen` it serves what it is handed: by Express, by `fetch`.
 */
export class HttpServer {
  /** Other transports listen on it for `upgrade`. */
  readonly node: Server;
  readonly #shell: Shell;
  /** Milliseconds. */
  readonly #drainLimit: number;
  readonly #sockets = new Set<Socket>();
  /** What comes before anything answers. */
  readonly #waiting: Parameters<RequestListener>[] = [];
  readonly #early: RequestListener = (raw, out) => {
    // What has been read of a connection waits here; the rest waits at the client.
    stopReading(raw.socket);
    this.#waiting.push([raw, out]);
  };
  /** Handshakes, likewise: without a listener, Node would take them for requests that ask for nothing special. */
  readonly #greeted = new Set<Greeting>();
  readonly #greet = (...greeting: Greeting): void => {
    // Another listener has come before the first version serves.
    if (this.node.listenerCount('upgrade') > 1) return;
    const [, socket] = greeting;
    socket.on('error', () => {}).once('close', () => this.#greeted.delete(greeting));
    this.#greeted.add(greeting);
  };
  #listener: RequestListener = (_raw, out) => void out.writeHead(503).end();
  /** What answers again should the listener be taken back. One step only, or every generation would be kept for ever. */
  #before = this.#listener;
  /** Resolves when the connections have ended that were there when other processes took over. */
  #handedOver: Promise<void> | undefined;

  constructor(shell: Shell, drainLimit: number) {
    this.#shell = shell;
    this.#drainLimit = drainLimit;
    // Earlier versions ignore what later ones know: to spare requests without a body the cost of a stream, and to take an
    // upgrade that nobody here speaks for the request that it is.
    const shouldUpgradeCallback = (raw: IncomingMessage): boolean =>
      this.node.listenerCount('upgrade') > 0 && isHandshake(raw);
    const options: ServerOptions = Object.assign(
      { keepAliveTimeout: 5_000 },
      { optimizeEmptyRequests: true, shouldUpgradeCallback },
    );
    this.node = createServer(options).on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.node.on('checkContinue', (raw, out) => {
      awaitContinue(raw, out);
      this.node.emit('request', raw, out);
    });
    this.node.on('connect', refuseConnect);
    shell.onClose(() => this.#close());
  }

  async listen(): Promise<void> {
    const { host, port } = this.#shell;
    this.node.on('request', this.#early).on('upgrade', this.#greet);
    await new Promise<void>((resolve, reject) => {
      this.node.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, this.#shell)));
      this.node.listen(port, host, resolve);
    });
    const { port: chosen } = this.node.address() as AddressInfo;
    this.#shell.urls.push(`http://${host.includes(':') ? `[${host}]` : host}:${chosen}/`);
  }

  /**
   * Answer requests with `listener` from now on. `idle` resolves when the requests which it has begun are done;
   * `takeBack` has answer again what answered before.
   */
  use(listener: RequestListener): { idle(): Promise<void>; takeBack(): void } {
    this.node.off('request', this.#early).off('upgrade', this.#greet);
    for (const [raw, out] of this.#waiting.splice(0))
      setImmediate(() => {
        raw.socket.resume();
        this.node.emit('request', raw, out);
      });
    for (const greeting of this.#greeted) setImmediate(() => this.#greetAgain(greeting));
    this.#greeted.clear();
    // A server of its own, for good: closing it waits for its requests, and counting them would cost each of them.
    if (this.#shell.transport === 'http' && !this.#shell.reloads) {
      this.node.on('request', listener);
      return { idle: async () => {}, takeBack: () => {} };
    }
    // The system may report a request before the save that came first; both have been heard one turn later.
    if (this.node.listenerCount('request') === 0)
      this.node.on('request', (raw, out) => void setImmediate(() => this.dispatch(raw, out)));
    let running = 0;
    let done: (() => void) | undefined;
    const counting: RequestListener = (raw, out) => {
      running += 1;
      whenDone(out, () => {
        running -= 1;
        if (running === 0) done?.();
      });
      listener(raw, out);
    };
    this.#before = this.#listener;
    this.#listener = counting;
    return {
      idle: async () => {
        if (running > 0) await new Promise<void>((resolve) => (done = resolve));
      },
      takeBack: () => {
        if (this.#listener === counting) this.#listener = this.#before;
      },
    };
  }

  /** The listener stays: what answered before is let go. */
  settle(): void {
    this.#before = this.#listener;
  }

  /** Have a request answered by what serves now; while a new generation is being made, by that. */
  dispatch(...args: Parameters<RequestListener>): void {
    const { reloading } = this.#shell;
    if (reloading) void reloading.then(() => this.dispatch(...args));
    else this.#listener(...args);
  }

  /**
   * Accept nothing more, since other processes do, before the shell is closed. Connections that are there have their
   * next request answered here, and are told to open another one then: no client notices.
   */
  handOver(): void {
    // Node's own server would close idle connections, on which requests may be on their way.
    this.#handedOver = new Promise((resolve) => NetServer.prototype.close.call(this.node, () => resolve()));
    this.node.prependListener('request', (_raw, out) => {
      out.shouldKeepAlive = false;
    });
  }

  /** Hand a handshake to who listens for it; else it is a request. */
  #greetAgain([raw, socket, head]: Greeting): void {
    if (!this.node.emit('upgrade', raw, socket, head)) ignoreUpgrade(this.node, raw, socket, head);
  }

  /** Accept nothing more and let what runs finish; past the limit, cut it off. */
  async #close(): Promise<void> {
    const closed = this.#handedOver ?? new Promise<void>((resolve) => this.node.close(() => resolve()));
    if (!this.#handedOver) this.hangUp();
    const limit = setTimeout(() => {
      this.#shell.cutOff = true;
      this.node.closeAllConnections();
    }, this.#drainLimit);
    await closed;
    clearTimeout(limit);
  }

  /** Close connections that wait for a request. */
  hangUp(): void {
    // A connection whose last request ends from now on does not wait for another; Node 24 adds a buffer of its own.
    Object.assign(this.node, { keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 });
    this.node.closeIdleConnections();
    // Node counts a connection as idle only after its first request; a browser opens some ahead and sends nothing.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

function listenError(cause: NodeJS.ErrnoException, { host, port, reloads }: Shell): Error {
  const [setPort, setHost] = reloads ? ['--port', '--host'] : ['PORT', 'HOST'];
  const said: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is taken on ${host}. Stop what listens there or choose another with ${setPort}.`,
    EACCES: `Port ${port} needs more rights than this process has. Choose one above 1023 with ${setPort}.`,
    ENOTFOUND: `Host "${host}" has no address. Choose one of this machine with ${setHost}.`,
    EADDRNOTAVAIL: `Host "${host}" is no address of this machine. Choose one that is with ${setHost}.`,
  };
  const message = said[cause.code ?? ''];
  return message === undefined ? cause : new BootError({ message });
}
