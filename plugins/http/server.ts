import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { BootError, type Shell } from '../../kernel/index.js';

/** How long a shutdown waits for running requests, in milliseconds. */
const DRAIN_LIMIT = 10_000;

/** The listening socket. It outlives generations: `use` swaps what answers, and loses no request. */
export class HttpServer {
  readonly #shell: Shell;
  #listener: RequestListener = (_raw, out) => void out.writeHead(503).end();

  readonly #sockets = new Set<Socket>();

  /** Node's server; other transports listen on it for `upgrade`. */
  readonly node: Server;

  constructor(shell: Shell) {
    this.#shell = shell;
    // Node 24 spares requests without a body the cost of a stream; earlier versions ignore the option.
    const options: ServerOptions = Object.assign(
      { keepAliveTimeout: 5_000 },
      { optimizeEmptyRequests: true },
    );
    this.node = createServer(options).on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(): Promise<void> {
    const { host, port } = this.#shell;
    await new Promise<void>((resolve, reject) => {
      this.node.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
      this.node.listen(port, host, resolve);
    });
    const { port: chosen } = this.node.address() as AddressInfo;
    this.#shell.urls.push(`http://${host.includes(':') ? `[${host}]` : host}:${chosen}/`);
    this.#shell.onClose(() => this.#close());
  }

  /**
   * Answer requests with `listener` from now on. Returns a function that resolves when the requests which this
   * listener has begun are done.
   */
  use(listener: RequestListener): () => Promise<void> {
    if (!this.#shell.reloads) {
      this.node.on('request', listener);
      return async () => {};
    }
    if (this.node.listenerCount('request') === 0)
      this.node.on('request', (raw, out) => this.#dispatch(raw, out));
    let running = 0;
    let idle: (() => void) | undefined;
    this.#listener = (raw, out) => {
      running += 1;
      out.once('close', () => {
        running -= 1;
        if (running === 0) idle?.();
      });
      listener(raw, out);
    };
    return async () => {
      if (running > 0) await new Promise<void>((resolve) => (idle = resolve));
    };
  }

  /** While a new generation is being made, requests wait for it. */
  #dispatch(...args: Parameters<RequestListener>): void {
    const { reloading } = this.#shell;
    if (reloading) void reloading.then(() => this.#dispatch(...args));
    else this.#listener(...args);
  }

  /** Accept nothing more, let what runs finish, then cut off what does not. */
  async #close(): Promise<void> {
    const closed = new Promise((resolve) => this.node.close(resolve));
    this.node.closeIdleConnections();
    // Node counts a connection as idle only after its first request; a browser opens some ahead and sends nothing.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    const limit = setTimeout(() => this.node.closeAllConnections(), DRAIN_LIMIT);
    await closed;
    clearTimeout(limit);
  }
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const said: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is taken on ${host}. Stop what listens there or choose another with --port.`,
    EACCES: `Port ${port} needs more rights than this process has. Choose one above 1023 with --port.`,
    ENOTFOUND: `Host "${host}" has no address. Choose one of this machine with --host.`,
    EADDRNOTAVAIL: `Host "${host}" is no address of this machine. Choose one that is with --host.`,
  };
  const message = said[cause.code ?? ''];
  return message === undefined ? cause : new BootError({ message });
}
