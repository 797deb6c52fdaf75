import { type ClientOptions, WebSocket } from 'ws';
import { type Answer, request } from './http.js';
import { withPatience } from './patience.js';

/** A WebSocket client: the messages in order, and how the connection ended. */
export class Peer {
  readonly #socket: WebSocket;
  readonly #came: (string | Buffer)[] = [];
  readonly #closed: Promise<readonly [code: number, reason: string]>;
  #look = (): void => {};
  #over = false;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      this.#came.push(isBinary ? data : data.toString());
      this.#look();
    });
    socket.on('error', () => {});
    this.#closed = new Promise((resolve) =>
      socket.on('close', (code, reason) => {
        this.#over = true;
        this.#look();
        resolve([code, reason.toString()]);
      }),
    );
  }

  /** Resolves when the connection has ended; rejects when it stays open. */
  get closed(): Promise<readonly [code: number, reason: string]> {
    return withPatience(this.#closed, (limit) => new Error(`The connection did not end in ${limit} ms`));
  }

  get socket(): WebSocket {
    return this.#socket;
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  send(...messages: (string | Buffer)[]): this {
    for (const message of messages) this.#socket.send(message);
    return this;
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }

  /** The next message; rejects when none comes. */
  async next(): Promise<string | Buffer> {
    if (this.#came.length === 0)
      await withPatience(
        new Promise<void>((resolve) => {
          this.#look = resolve;
          if (this.#over) resolve();
        }),
        (limit) => new Error(`No message came in ${limit} ms`),
      );
    const message = this.#came.shift();
    if (message === undefined) throw new Error(`The connection ended: ${await this.closed}`);
    return message;
  }

  async json(): Promise<unknown> {
    return JSON.parse(String(await this.next()));
  }

  /** The next `count` messages. */
  async take(count: number): Promise<(string | Buffer)[]> {
    const taken: (string | Buffer)[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }
}

/** Connects to a path below an http URL; rejects where that is refused. */
export function connectSocket(
  url: string,
  path: string,
  options: ClientOptions = {},
  protocols: string[] = [],
): Promise<Peer> {
  const socket = new WebSocket(url.replace(/^http/, 'ws').replace(/\/$/, '') + path, protocols, options);
  const peer = new Peer(socket);
  return withPatience(
    new Promise<Peer>((resolve, reject) => {
      socket.once('open', () => resolve(peer)).once('error', reject);
    }),
    (limit) => new Error(`The handshake at ${path} got no answer in ${limit} ms`),
  );
}

/** The headers of a handshake (RFC 6455 §4.1). */
export const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The response to a refused handshake. */
export const handshake = (
  url: string,
  path: string,
  headers: Record<string, string | undefined> = {},
): Promise<Answer> => request(url, path, { headers: { ...HANDSHAKE, ...headers } });
