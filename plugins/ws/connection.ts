import type { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { Inbox } from './inbox.js';
import type { Outgoing } from './message.js';
import type { Closing } from './socket.js';

export interface ConnectionSettings {
  /** Bytes that may wait for a client. */
  readonly backpressureLimit: number;
  /** Bytes that may wait for callbacks. */
  readonly inboxLimit: number;
  /** Told of a client that was cut off for reading too slowly. */
  readonly onSlow: (waiting: number) => void;
}

/** In bytes. More is written before the turn is over. */
const MAX_HELD_BYTES = 64 * 1024;

/** A connection with a client. It outlives the code that serves it. */
export class Connection {
  readonly inbox: Inbox;
  /** Whether anything has come from the client since the last ping. */
  isAlive = true;
  /** Runs once, when the connection has ended. */
  onEnd: (closing: Closing) => void = () => {};
  readonly #peer: WebSocket;
  readonly #socket: Duplex;
  readonly #settings: ConnectionSettings;
  /** Whether `ws` has to make the frames. */
  readonly #isExtended: boolean;
  #drained: Promise<void> | undefined;
  #isHeld = false;

  constructor(
    peer: WebSocket,
    socket: Duplex,
    /** The request that opened it. */
    readonly raw: IncomingMessage,
    /** What that came in. */
    readonly context: AsyncResource,
    settings: ConnectionSettings,
  ) {
    this.#peer = peer;
    this.#socket = socket;
    this.#settings = settings;
    this.#isExtended = peer.extensions !== '';
    this.inbox = new Inbox(settings.inboxLimit, (on) => (on ? peer.resume() : peer.pause()));
    peer.on('message', (data: Buffer, isBinary) => {
      this.isAlive = true;
      this.inbox.put(isBinary ? data : data.toString(), data.length);
    });
    peer.on('pong', () => {
      this.isAlive = true;
    });
    // What is wrong with a frame closes the connection with the code for it (1002, 1007, 1009): the close event tells.
    peer.on('error', () => {});
    peer.on('close', (code, reason) => this.onEnd({ code, reason: reason.toString() }));
  }

  get isOpen(): boolean {
    return this.#peer.readyState === this.#peer.OPEN;
  }

  /** Send a message, if the connection is open. Returns a promise where more waits than should, and where it is not. */
  send({ data, frame }: Outgoing): Promise<void> | undefined {
    if (!this.isOpen) return nextTurn();
    const { backpressureLimit } = this.#settings;
    // What is held has not been offered to the client yet.
    if (this.#isHeld && this.#socket.writableLength > Math.min(MAX_HELD_BYTES, backpressureLimit))
      this.release();
    const waiting = this.#isExtended ? this.#peer.bufferedAmount : this.#socket.writableLength;
    if (waiting > backpressureLimit) {
      // A closing frame would wait behind all the rest.
      this.#peer.terminate();
      this.#settings.onSlow(waiting);
      return nextTurn();
    }
    // Without extensions `ws` writes whole frames and holds none back, so that frames made elsewhere may come between.
    if (this.#isExtended) this.#peer.send(data);
    else {
      this.#hold();
      this.#socket.write(frame);
    }
    return this.#socket.writableNeedDrain ? this.#untilDrained() : undefined;
  }

  /** Throws TypeError for a code that must not be sent, RangeError for a reason of more than 123 bytes. */
  close(code: number, reason: string): void {
    this.#peer.close(code, reason);
  }

  /** Ask for a sign of life, or end a connection that has given none since it was last asked. */
  probe(): void {
    // Where reading has stopped, no answer can be heard.
    if (!this.isOpen || this.#peer.isPaused) return;
    if (!this.isAlive) return this.#peer.terminate();
    this.isAlive = false;
    this.#peer.ping();
  }

  /** What is sent in one turn goes out in one write: each costs more than all else that is done for a message. */
  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#socket.cork();
    if (held.push(this) === 1) process.nextTick(release);
  }

  /** Write what was held. */
  release(): void {
    this.#isHeld = false;
    this.#socket.uncork();
  }

  #untilDrained(): Promise<void> {
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        this.#drained = undefined;
        this.#socket.off('drain', done).off('close', done);
        resolve();
      };
      this.#socket.on('drain', done).on('close', done);
    });
    return this.#drained;
  }
}

const held: Connection[] = [];

function release(): void {
  for (const connection of held.splice(0)) connection.release();
}

/** A loop that sends and awaits would keep the process from hearing that the connection has ended. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
