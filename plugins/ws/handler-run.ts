import { AsyncResource } from 'node:async_hooks';
import { isThenable } from '../../kernel/index.js';
import { settledWithin } from '../context/index.js';
import { type Connection, nextTurn } from './connection.js';
import { closingFor, logFailure } from './failure.js';
import type { Handshake } from './handshake.js';
import { Membership } from './membership.js';
import { jsonOf, type Outgoing, outgoing } from './message.js';
import type { Member, Rooms } from './rooms.js';
import type { Closing, Message, Socket } from './socket.js';
import type { Entry } from './upgrades.js';

/** How long a handler may still run after its connection has ended or got new code, in milliseconds. */
export const STOP_TIMEOUT_MS = 1_000;

/** One run of a handler for one connection: what it registered, and the rooms that it is in. */
export class HandlerRun implements Member {
  /** Resolves when its callbacks have run and its scope has ended. */
  readonly settled: Promise<void>;
  readonly #entry: Entry;
  readonly #connection: Connection;
  readonly #rooms: Rooms;
  readonly #handshake: Handshake;
  #hasBegun = false;
  readonly #receivers: ((message: Message) => unknown)[] = [];
  readonly #closers: ((closing: Closing) => unknown)[] = [];
  readonly #joined: Membership;
  /**
   * Callbacks run in the asynchronous context of the handshake: its trace, its AsyncLocalStorage. Socket events have
   * none.
   */
  readonly #context = new AsyncResource('fwkit.WebSocket');
  readonly #abort = new AbortController();
  #ready: Promise<void> | undefined;
  #closing: Closing | undefined;
  /** Whether it accepts messages. */
  #takes = true;
  /** Whether it may still send. */
  #speaks = true;
  #hasEnded = false;

  /** `roomsLimit` is in bytes. */
  constructor(entry: Entry, connection: Connection, rooms: Rooms, handshake: Handshake, roomsLimit: number) {
    this.#entry = entry;
    this.#connection = connection;
    this.#rooms = rooms;
    this.#joined = new Membership(rooms, this, roomsLimit);
    this.#handshake = handshake;
    this.settled = new Promise((resolve) => handshake.once('close', resolve));
  }

  get project(): Entry['project'] {
    return this.#entry.project;
  }

  /** Run the handler, once. Messages are passed on when it is done. One that throws closes the connection. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const failure = this.#handshake.isRenewal ? 1012 : 1011;
    const receive = (message: Message): unknown =>
      this.#context.runInAsyncScope(this.#receive, this, message);
    const open = () => void (this.#takes && this.#connection.inbox.open(receive));
    try {
      // It may have waited for the verification of a version.
      const result = this.#context.runInAsyncScope(this.#entry.handler, undefined, this.#tools());
      if (!isThenable(result)) return open();
      this.#ready = Promise.resolve(result).then(open, (thrown) => this.#fail(thrown, failure));
    } catch (thrown) {
      this.#fail(thrown, failure);
    }
  }

  deliver(message: Outgoing): void {
    if (this.#speaks) this.#connection.send(message);
  }

  /** The connection has ended: handle the messages that have come, then run what was registered for the end. */
  async end(closing: Closing): Promise<void> {
    if (!this.#startEnding(closing)) return;
    // With a limit: a handler may be a loop that ignores `signal`.
    if (this.#ready) await settledWithin(this.#ready, STOP_TIMEOUT_MS);
    await this.#connection.inbox.emptied();
    await this.#finish(closing);
  }

  /** Newer code starts: handle no further message. Resolves when the connection is free for it. */
  async leave(closing: Closing): Promise<void> {
    if (!this.#startEnding(closing)) return;
    this.#takes = false;
    const leaving = this.#connection.inbox.close().then(() => this.#finish(closing));
    await settledWithin(leaving, STOP_TIMEOUT_MS);
    this.#speaks = false;
  }

  /** Give up on callbacks that do not end. */
  abandon(): void {
    this.#handshake.settle();
  }

  #startEnding(closing: Closing): boolean {
    if (this.#closing) return false;
    this.#closing = closing;
    this.#context.runInAsyncScope(() => this.#abort.abort());
    return true;
  }

  async #finish(closing: Closing): Promise<void> {
    this.#takes = false;
    this.#joined.leaveAll();
    this.#hasEnded = true;
    for (const closed of this.#closers) await this.#runCloser(closed, closing);
    this.#speaks = false;
    this.#handshake.settle();
  }

  async #runCloser(closed: (closing: Closing) => unknown, closing: Closing): Promise<void> {
    try {
      await this.#context.runInAsyncScope(closed, undefined, closing);
    } catch (thrown) {
      logFailure(thrown, this.#entry);
    }
  }

  #receive(message: Message): unknown {
    try {
      // Nearly always there is one, and this is done for every message.
      const result = this.#receivers.length === 1 ? this.#receivers[0]?.(message) : this.#receiveAll(message);
      if (!isThenable(result)) return undefined;
      // Not its own `then`, which may come from any library, and return anything.
      return Promise.resolve(result).then(undefined, (thrown) => this.#fail(thrown));
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  #receiveAll(message: Message): Promise<unknown> {
    // Each as a promise: where one throws, rejections of those before it must still be handled.
    return Promise.all(this.#receivers.map(async (receive) => receive(message)));
  }

  /** Close the connection for what a handler or callback threw. */
  #fail(thrown: unknown, failure = 1011): void {
    this.#dropRest();
    const { code, reason, isLogged } = closingFor(thrown, this.project, failure);
    if (isLogged) logFailure(thrown, this.#entry);
    this.#connection.close(code, reason);
  }

  /** Drop the messages that still come: they must be read, since the client's closing frame is behind them. */
  #dropRest(): void {
    this.#takes = false;
    this.#connection.inbox.open(() => undefined);
  }

  #tools(): Socket {
    const { req, ctx } = this.#entry;
    const { signal } = this.#abort;
    const connection = this.#connection;
    return {
      req,
      ctx,
      params: req.params,
      signal,
      send: (data) => (this.#speaks ? connection.send(outgoing(data)) : nextTurn()),
      onMessage: (receive) => void this.#receivers.push(receive),
      onJson: (receive) => void this.#receivers.push((message) => this.#receiveJson(message, receive)),
      onInvalid: () => {},
      onClose: (closed) => {
        // Registered by a handler that still ran after the end: what it began must end nevertheless.
        if (this.#hasEnded && this.#closing) void this.#runCloser(closed, this.#closing);
        else this.#closers.push(closed);
      },
      close: (code = 1000, reason = '') => {
        if (this.#speaks) connection.close(code, reason);
      },
      join: (room) => {
        if (!this.#hasEnded) this.#joined.join(room);
      },
      leave: (room) => this.#joined.leave(room),
      publish: (room, data, { self = true } = {}) => this.#rooms.publish(room, data, self ? undefined : this),
    };
  }

  #receiveJson(message: Message, receive: (value: unknown) => unknown): unknown {
    let value: unknown;
    try {
      value = jsonOf(message);
    } catch {
      this.#dropRest();
      return this.#connection.close(1007, 'The message is not JSON');
    }
    return receive(value);
  }
}
