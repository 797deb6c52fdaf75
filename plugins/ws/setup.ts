import { parse as parseJson } from 'secure-json-parse';
import { messageOf } from '../../kernel/index.js';
import { isHttpError, isThenable } from '../http/index.js';
import type { Entry } from './acceptors.js';
import { type Connection, pause } from './connection.js';
import type { Handshake } from './handshake.js';
import { type Outgoing, outgoing } from './message.js';
import { shortened } from './reason.js';
import type { Member, Rooms } from './rooms.js';
import type { Closing, Message, Socket } from './socket.js';
import { within } from './within.js';

/** How long the handler of a connection that has ended, or got new code, may still take to be done, in milliseconds. */
export const LAST_MOMENT = 1_000;

/** One run of a handler for one connection: what it registered, and the rooms that it is in. */
export class Setup implements Member {
  /** Resolves when its callbacks have run and its scope has ended. */
  readonly over: Promise<void>;
  readonly #entry: Entry;
  readonly #connection: Connection;
  readonly #rooms: Rooms;
  readonly #handshake: Handshake;
  readonly #receivers: ((message: Message) => unknown)[] = [];
  readonly #closers: ((closing: Closing) => unknown)[] = [];
  readonly #joined = new Set<string>();
  readonly #abort = new AbortController();
  #ready: Promise<void> | undefined;
  #closing: Closing | undefined;
  /** Whether messages are taken. */
  #takes = true;
  /** Whether it may still send. */
  #speaks = true;
  #hasEnded = false;

  constructor(entry: Entry, connection: Connection, rooms: Rooms, handshake: Handshake) {
    this.#entry = entry;
    this.#connection = connection;
    this.#rooms = rooms;
    this.#handshake = handshake;
    this.over = new Promise((resolve) => handshake.once('close', resolve));
  }

  get project(): Entry['project'] {
    return this.#entry.project;
  }

  /** Run the handler. Messages are handed on when it is done. One that throws closes the connection with `failure`. */
  begin(failure: 1011 | 1012): void {
    const open = () => void (this.#takes && this.#connection.inbox.open((message) => this.#receive(message)));
    try {
      const result = this.#entry.handler(this.#tools());
      if (!isThenable(result)) return open();
      this.#ready = Promise.resolve(result).then(open, (thrown) => this.#fail(thrown, failure));
    } catch (thrown) {
      this.#fail(thrown, failure);
    }
  }

  deliver(message: Outgoing): void {
    if (this.#speaks) this.#connection.send(message);
  }

  /** The connection has ended: deal with what has come, then run what was registered for the end. */
  async end(closing: Closing): Promise<void> {
    if (!this.#startEnding(closing)) return;
    // Not for ever: a handler may be a loop that does not look at `signal`.
    if (this.#ready) await within(this.#ready, LAST_MOMENT);
    await this.#connection.inbox.emptied();
    await this.#finish(closing);
  }

  /** Newer code takes over: deal with no other message. Resolves when the connection is free for it. */
  async leave(closing: Closing): Promise<void> {
    if (!this.#startEnding(closing)) return;
    this.#takes = false;
    const leaving = this.#connection.inbox.close().then(() => this.#finish(closing));
    await within(leaving, LAST_MOMENT);
    this.#speaks = false;
  }

  /** Give up on callbacks that do not end. */
  abandon(): void {
    this.#handshake.conclude();
  }

  #startEnding(closing: Closing): boolean {
    if (this.#closing) return false;
    this.#closing = closing;
    this.#abort.abort();
    return true;
  }

  async #finish(closing: Closing): Promise<void> {
    this.#takes = false;
    for (const room of this.#joined) this.#rooms.leave(room, this);
    this.#joined.clear();
    this.#hasEnded = true;
    for (const closed of this.#closers) await this.#runCloser(closed, closing);
    this.#speaks = false;
    this.#handshake.conclude();
  }

  async #runCloser(closed: (closing: Closing) => unknown, closing: Closing): Promise<void> {
    try {
      await closed(closing);
    } catch (thrown) {
      this.#log(thrown);
    }
  }

  #receive(message: Message): unknown {
    try {
      // Nearly always there is one, and this is done for every message.
      const result = this.#receivers.length === 1 ? this.#receivers[0]?.(message) : this.#receiveAll(message);
      return isThenable(result) ? result.then(undefined, (thrown) => this.#fail(thrown)) : undefined;
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  #receiveAll(message: Message): Promise<unknown> {
    return Promise.all(this.#receivers.map((receive) => receive(message)));
  }

  /** Close the connection for what a handler or callback threw. */
  #fail(thrown: unknown, code = 1011): void {
    this.#dropRest();
    if (isHttpError(thrown) && thrown.status < 500)
      return this.#connection.close(1008, shortened(thrown.message));
    this.#log(thrown);
    const isOpen = this.project.mode === 'development';
    this.#connection.close(
      code,
      shortened(isOpen ? messageOf(thrown) : 'Something went wrong on the server'),
    );
  }

  /** The connection is being closed: what still comes is read, since the client's closing frame is behind it. */
  #dropRest(): void {
    this.#takes = false;
    this.#connection.inbox.open(() => undefined);
  }

  /** A logger may be anybody's: one that fails must not keep a connection from ending. */
  #log(thrown: unknown): void {
    const { req, project } = this.#entry;
    const message = `WS ${req.path} failed in ${project.display(req.route.file ?? '')}:`;
    try {
      project.logger.error(message, thrown);
    } catch (failure) {
      console.error(`${message} ${messageOf(thrown)} (it could not be logged: ${messageOf(failure)})`);
    }
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
      send: (data) => (this.#speaks ? connection.send(outgoing(data)) : pause()),
      onMessage: (receive) => void this.#receivers.push(receive),
      onJson: (receive) => void this.#receivers.push((message) => this.#receiveJson(message, receive)),
      onClose: (closed) => {
        // Registered by a handler that went on after the end: what it began must end nevertheless.
        if (this.#hasEnded && this.#closing) void this.#runCloser(closed, this.#closing);
        else this.#closers.push(closed);
      },
      close: (code = 1000, reason = '') => {
        if (this.#speaks) connection.close(code, reason);
      },
      join: (room) => {
        if (this.#hasEnded) return;
        this.#joined.add(room);
        this.#rooms.join(room, this);
      },
      leave: (room) => {
        this.#joined.delete(room);
        this.#rooms.leave(room, this);
      },
      publish: (room, data, { self = true } = {}) => this.#rooms.publish(room, data, self ? undefined : this),
    };
  }

  #receiveJson(message: Message, receive: (value: unknown) => unknown): unknown {
    let value: unknown;
    try {
      if (typeof message !== 'string') throw new SyntaxError('bytes are no JSON text');
      value = parseJson(message);
    } catch {
      this.#dropRest();
      return this.#connection.close(1007, 'The message is not JSON');
    }
    return receive(value);
  }
}
