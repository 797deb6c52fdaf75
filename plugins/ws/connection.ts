import type { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import type { WebSocket } from 'ws';
import { Deferred, isThenable, type Project } from '../../kernel/index.js';
import { type Handover, requestHead } from '../http/internal.js';
import { FrameTail, MAX_HEAD_BYTES } from './frame-tail.js';
import { MAX_FRAGMENTS } from './handshake.js';
import type { Outgoing } from './outgoing.js';
import type { Closing, Message } from './socket.js';
import { SocketInfo } from './socket-info.js';

export interface ConnectionSettings {
  /** Maximum number of bytes that are buffered for a client. */
  readonly backpressureLimit: number;
  /** Maximum number of bytes that wait for callbacks. */
  readonly inboxLimit: number;
  /** Maximum size of a message, in bytes. */
  readonly maxPayload: number;
  /** Messages per second that a client may send; 0: no limit. */
  readonly messageRate: number;
  /** Called when a client was disconnected because it reads too slowly, with the number of buffered bytes. */
  readonly onSlow: (waiting: number) => void;
}

/** What a connection takes along to newer code, or to another process. */
export interface Carried {
  /** As JSON; undefined if the route had no state. */
  readonly state: string | undefined;
  readonly rooms: readonly string[];
  readonly seen: ReadonlyMap<string, number>;
}

/** What another process needs to continue a connection. */
export interface MovedConnection extends Carried {
  /** The bytes of an incomplete message. */
  readonly tail: Uint8Array;
  /** Messages that no callback has received. */
  readonly inbox: readonly (string | Uint8Array)[];
  readonly protocol: string;
  readonly route: string;
  readonly counts: Pick<SocketInfo, 'received' | 'sent' | 'duration'>;
}

/** Bytes that wait for the end of the event loop's turn. A larger amount is written immediately. */
const MAX_CORKED_BYTES = 64 * 1024;

/** A connection with a client. It outlives the code that serves it. */
export class Connection {
  readonly inbox: Inbox;
  /** Whether anything has arrived from the client since the last ping. */
  isAlive = true;
  /** Runs once, when the connection has ended. */
  onEnd: (closing: Closing) => void = () => {};
  /** Whether `ws` has to create the frames. */
  readonly #isExtended: boolean;
  #drained: Promise<void> | undefined;
  #isCorked = false;
  /** The messages that the client may send now, without waiting. */
  #tokens = Number.POSITIVE_INFINITY;
  #refilledAt = 0;
  /** Set if the connection can move to another process. */
  #tail: FrameTail | undefined;
  /** Whether another process continues the connection, or is about to. */
  isMoving = false;
  #closing: Closing | undefined;

  constructor(
    private readonly peer: WebSocket,
    private readonly socket: Duplex,
    private readonly info: SocketInfo,
    /** The asynchronous context of that request: its trace, its AsyncLocalStorage. */
    readonly context: AsyncResource,
    private readonly settings: ConnectionSettings,
  ) {
    this.#isExtended = peer.extensions !== '';
    this.inbox = new Inbox(settings.inboxLimit, (on) => (on ? peer.resume() : peer.pause()));
    peer.on('message', (data: Buffer, isBinary) => {
      this.isAlive = true;
      info.received += 1;
      if (settings.messageRate > 0 && this.#isTooFast(settings.messageRate)) return;
      this.inbox.put(isBinary ? data : data.toString(), data.length);
    });
    peer.on('pong', () => {
      this.isAlive = true;
    });
    // An invalid frame closes the connection, with the matching code (1002, 1007, 1009) in the event.
    peer.on('error', () => {});
    peer.on('close', (code, reason) => {
      const closing = { code, reason: reason.toString() };
      this.#closing = closing;
      // Another process continues a connection that has moved.
      SocketInfo.close(info, this.isMoving ? undefined : closing);
      this.onEnd(closing);
    });
    SocketInfo.open(info);
  }

  /** Take a message from the token bucket. Closes the connection if it is empty, and drops the messages that still arrive. */
  #isTooFast(rate: number): boolean {
    const now = performance.now();
    this.#tokens = Math.min(rate, this.#tokens + ((now - this.#refilledAt) / 1000) * rate);
    this.#refilledAt = now;
    if (this.#tokens >= 1) {
      this.#tokens -= 1;
      return false;
    }
    this.#tokens = Number.NEGATIVE_INFINITY;
    this.close(1008, `More than ${rate} messages per second`);
    return true;
  }

  get raw(): IncomingMessage {
    return this.info.raw;
  }

  get isOpen(): boolean {
    return this.peer.readyState === this.peer.OPEN;
  }

  /** The subprotocol of the connection; '' if there is none. */
  get protocol(): string {
    return this.peer.protocol;
  }

  /** Send a message if it is open. Returns a promise if too much is buffered, or if it is not open. */
  send({ data, frame }: Outgoing): Promise<void> | undefined {
    if (!this.isOpen) return nextTurn();
    const { backpressureLimit } = this.settings;
    // Held bytes have not been offered to the client yet.
    if (this.#isCorked && this.socket.writableLength > Math.min(MAX_CORKED_BYTES, backpressureLimit))
      this.release();
    const waiting = this.#isExtended ? this.peer.bufferedAmount : this.socket.writableLength;
    if (waiting > backpressureLimit) {
      // A closing frame would wait behind the rest of the data.
      this.peer.terminate();
      this.settings.onSlow(waiting);
      return nextTurn();
    }
    this.info.sent += 1;
    // Without extensions, `ws` buffers no frames, so frames created elsewhere fit in between.
    if (this.#isExtended) this.peer.send(data);
    else {
      this.#cork();
      this.socket.write(frame);
    }
    return this.socket.writableNeedDrain ? this.#untilDrained() : undefined;
  }

  /** Throws TypeError for a code that must not be sent, RangeError for a reason of more than 123 bytes. */
  close(code: number, reason: string): void {
    this.peer.close(code, reason);
  }

  /** Send a ping, or end a connection from which nothing has arrived since the last ping. */
  probe(): void {
    // While reading is paused, no pong can arrive.
    if (!this.isOpen || this.peer.isPaused || this.isMoving) return;
    if (!this.isAlive) return this.peer.terminate();
    this.isAlive = false;
    this.peer.ping();
  }

  /** Follow what the client sends, so that the connection can move to another process. */
  follow(): void {
    const tail = new FrameTail(this.settings.maxPayload + MAX_FRAGMENTS * MAX_HEAD_BYTES);
    this.#tail = tail;
    // Before ws, which changes the bytes.
    this.socket.prependListener('data', (chunk: Buffer) => tail.push(chunk));
  }

  /** Whether it can move: the context of a compressed connection cannot. */
  get canMove(): boolean {
    return this.isOpen && this.#tail?.isOverLimit === false && !this.#isExtended;
  }

  /** Resolves when the connection has ended. */
  async closed(): Promise<Closing> {
    while (!this.#closing) await new Promise((resolve) => this.peer.once('close', resolve));
    return this.#closing;
  }

  /** Have another process continue the connection, with what the client sends from now on. Resolves with the reason if it must be closed. */
  async move(handover: Handover, carried: Carried): Promise<string | undefined> {
    const socket = this.socket as Socket;
    if (this.#isCorked) this.release();
    if (!(await handover.flush(socket))) {
      // A closing frame would wait behind what the client does not read.
      this.peer.terminate();
      return 'that read too slowly';
    }
    // What a paused connection has read goes to ws and to the tail.
    while (socket.read() !== null);
    if (!this.canMove || !handover.stopReading(socket)) return undefined;
    this.isMoving = true;
    const { route, received, sent, duration } = this.info;
    const details: MovedConnection = {
      ...carried,
      tail: this.#tail?.bytes ?? Buffer.alloc(0),
      inbox: this.inbox.takeWaiting(),
      protocol: this.protocol,
      route,
      counts: { received, sent, duration },
    };
    // Otherwise, the new process would negotiate the extensions again.
    const head = requestHead(this.raw, { 'sec-websocket-extensions': undefined });
    if (await handover.move(socket, { kind: 'WebSocket', head, arrival: { details } })) return undefined;
    this.isMoving = false;
    return 'that no worker took';
  }

  /** Write all messages of an event loop's turn at once: a write costs more than all other work. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.socket.cork();
    if (corked.push(this) === 1) process.nextTick(release);
  }

  release(): void {
    this.#isCorked = false;
    this.socket.uncork();
  }

  #untilDrained(): Promise<void> {
    this.#drained ??= new Promise((resolve) => {
      const done = () => {
        this.#drained = undefined;
        this.socket.off('drain', done).off('close', done);
        resolve();
      };
      this.socket.on('drain', done).on('close', done);
    });
    return this.#drained;
  }
}

const corked: Connection[] = [];

function release(): void {
  for (const connection of corked.splice(0)) connection.release();
}

/** Lets the event loop run: a loop that sends and awaits must notice that the connection has ended. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The maximum number of waiting messages, however short, before reading stops. */
const MAX_UNREAD_MESSAGES = 128;

/** Handles one message; the next one waits for a returned promise. Never throws or rejects. */
type Receive = (message: Message) => unknown;

/** The messages of one connection, which wait for its receiver, and are handled one at a time. */
export class Inbox {
  readonly #waiting: { readonly message: Message; readonly size: number }[] = [];
  #size = 0;
  #reading = true;
  #receive: Receive | undefined;
  #running: Promise<void> | undefined;
  /** While set, messages wait even if there is a receiver; resolved by `release`. */
  #released: Deferred | undefined;

  /** Reading stops while more than `limit` bytes wait. One more message may then already be in transit. */
  constructor(
    private readonly limit: number,
    private readonly read: (on: boolean) => void,
  ) {}

  /** `size` is the size of the message on the wire, in bytes. */
  put(message: Message, size: number): void {
    if (this.#receive && !this.#released && !this.#running && this.#waiting.length === 0)
      return this.#hand(message);
    this.#waiting.push({ message, size });
    this.#size += size;
    if (this.#reading && (this.#size > this.limit || this.#waiting.length > MAX_UNREAD_MESSAGES))
      this.#switch(false);
  }

  open(receive: Receive): void {
    this.#receive = receive;
    this.#next();
  }

  /** Queue messages from now on. Resolves when the running message has been handled. */
  async close(): Promise<void> {
    this.#receive = undefined;
    await this.#running;
  }

  /** Queue messages until `release`, even if the receiver changes in the meantime. */
  hold(): this {
    this.#released ??= new Deferred();
    return this;
  }

  release(): void {
    this.#released?.resolve();
    this.#released = undefined;
    this.#next();
  }

  /** Remove the messages that wait. */
  takeWaiting(): readonly Message[] {
    this.#size = 0;
    return this.#waiting.splice(0).map(({ message }) => message);
  }

  /** Resolves when no message waits, or when there is no receiver for the waiting messages. */
  async emptied(): Promise<void> {
    while (this.#running || (this.#released && this.#receive && this.#waiting.length > 0))
      await (this.#running ?? this.#released?.promise);
  }

  #hand(message: Message): void {
    const result = this.#receive?.(message);
    if (!isThenable(result)) return;
    this.#running = Promise.resolve(result).then(() => {
      this.#running = undefined;
      this.#next();
    });
  }

  #next(): void {
    while (this.#receive && !this.#released && !this.#running) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#size -= next.size;
      this.#hand(next.message);
    }
    if (!this.#reading && this.#waiting.length === 0) this.#switch(true);
  }

  #switch(on: boolean): void {
    this.#reading = on;
    this.read(on);
  }
}

/** Versions that answer requests while they are being verified. WebSocket messages wait until the verification is over. */
export class UnverifiedVersions {
  readonly #projects = new Set<Project>();
  readonly #pausedInboxes = new Set<Inbox>();

  get isEmpty(): boolean {
    return this.#projects.size === 0;
  }

  has(project: Project): boolean {
    return this.#projects.has(project);
  }

  add(project: Project): void {
    this.#projects.add(project);
  }

  delete(project: Project): void {
    this.#projects.delete(project);
  }

  /** Queue messages as long as any version is being verified. */
  hold(inbox: Inbox): void {
    if (!this.isEmpty) this.#pausedInboxes.add(inbox.hold());
  }

  /** No version is being verified any more: pass on the waiting messages. */
  release(): void {
    this.#projects.clear();
    for (const inbox of this.#pausedInboxes) inbox.release();
    this.#pausedInboxes.clear();
  }
}
