import { once } from 'node:events';
import net from 'node:net';
import { Answers } from './answers.js';
import type { Random } from './random.js';

/** Data beyond this is dropped. */
const KEPT = 1_000_000;

/** How bytes are sent. */
export type Pace = 'whole' | 'pieces' | 'bytes';

/** One connection to the server under test, byte for byte. */
export class Link {
  /** The methods of the requests sent, in order: a response to HEAD has no body. */
  readonly methods: string[] = [];
  readonly answers = new Answers(this.methods);
  readonly sent: Buffer[] = [];
  readonly came: Buffer[] = [];
  /** The server has ended its side, or the connection is gone. */
  isOver = false;
  /** When something came last, in milliseconds of `performance.now()`. */
  cameAt = performance.now();
  /** This end's; 0 before it is connected. */
  port = 0;
  readonly #socket: net.Socket;
  readonly #waiting = new Set<() => void>();
  #kept = 0;

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    // The server may close while we write: that is seen by `isOver`.
    socket.on('error', () => {});
    for (const event of ['end', 'close'])
      socket.once(event, () => {
        if (!this.isOver) this.answers.end();
        this.isOver = true;
        this.#look();
      });
  }

  /** Undefined if the server accepts no connection, which is reported elsewhere. */
  static async open(port: number): Promise<Link | undefined> {
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const link = new Link(socket);
    const isOpen = await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      once(socket, 'close').then(() => false),
    ]);
    link.port = socket.localPort ?? 0;
    return isOpen ? link : undefined;
  }

  /** Resolves when the system has taken the bytes, or the connection is gone. */
  async send(bytes: Buffer, pace: Pace = 'whole', random?: Random): Promise<void> {
    this.sent.push(bytes);
    if (pace === 'whole' || !random) return this.#write(bytes);
    for (let at = 0; at < bytes.length && !this.#socket.destroyed; ) {
      const size = pace === 'bytes' ? 1 : random.between(1, Math.ceil(bytes.length / 3));
      await this.#write(bytes.subarray(at, at + size));
      at += size;
      await new Promise(setImmediate);
    }
  }

  /** Resolves with the first result of `look`, which is called on new data; undefined after `ms`, or at the end. */
  until<T>(look: () => T | undefined, ms: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const done = (value: T | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(value);
      };
      const check = () => {
        const found = look();
        if (found !== undefined || this.isOver) done(found);
      };
      const timer = setTimeout(done, ms, undefined);
      this.#waiting.add(check);
      check();
    });
  }

  /** Resolves with whether the server has ended its side within `ms`. */
  async over(ms: number): Promise<boolean> {
    await this.until(() => undefined, ms);
    return this.isOver;
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Half-closes the connection and continues to read. */
  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Resets the connection, like a machine that has lost its state. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  #write(bytes: Buffer): Promise<void> {
    if (this.#socket.destroyed || this.#socket.writableEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#socket.off('close', done);
        resolve();
      };
      this.#socket.once('close', done);
      this.#socket.write(bytes, done);
    });
  }

  #take(bytes: Buffer): void {
    this.cameAt = performance.now();
    if (this.#kept < KEPT) this.came.push(bytes);
    this.#kept += bytes.length;
    this.answers.push(bytes);
    this.#look();
  }

  #look(): void {
    for (const check of [...this.#waiting]) check();
  }
}
