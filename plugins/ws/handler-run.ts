import { AsyncResource } from 'node:async_hooks';
import { Deferred, isThenable, messageOf, type Project } from '../../kernel/index.js';
import { isUnavailable, type Unavailable } from '../../peers/index.js';
import { logSafely, scopeLogger } from '../../scope/index.js';
import { settledWithin } from '../context/index.js';
import { isHttpError } from '../http/index.js';
import { isEndOf, logUnavailable, rejectEnded } from '../http/internal.js';
import { type Carried, type Connection, nextTurn } from './connection.js';
import type { Handshake } from './handshake.js';
import { encodeMessage, type Messages, messagesOf, type Outgoing } from './outgoing.js';
import { Receivers, truncateReason } from './receivers.js';
import { type Member, Membership, type Rooms } from './rooms.js';
import type { Closing, Message, Sendable, Socket } from './socket.js';
import { SOCKET_ERROR, type SocketFailure } from './socket-info.js';
import { stateText } from './state.js';
import type { Entry } from './upgrades.js';

/** How long a handler may run on after its connection has ended or was moved to new code, in milliseconds. */
const STOP_TIMEOUT_MS = 1_000;

/** How old code sees a connection end that newer code continues. */
export const CODE_CHANGED: Closing = { code: 1012, reason: 'The code has changed' };

/** One run of a handler for one connection: its callbacks and its rooms. */
export class HandlerRun implements Member {
  /** Resolves when its callbacks have run and its scope has ended. */
  readonly settled: Promise<void>;
  /** Resolves when the handler has returned, or will not run. */
  readonly entered = new Deferred();
  #hasBegun = false;
  readonly #receivers: Receivers;
  readonly #messages: Messages;
  readonly #joined: Membership;
  /** Callbacks run in the handshake's asynchronous context (its trace): socket events have none. */
  readonly #context = new AsyncResource('fwkit.WebSocket');
  readonly #closers: OnClosed[] = [];
  readonly #abort = new AbortController();
  #ready: Promise<void> | undefined;
  #isRunning = false;
  #closing: Closing | undefined;
  #endedAt = 0;
  #logged: { readonly thrown: unknown } | undefined;
  #takes = true;
  #speaks = true;
  #hasEnded = false;
  /** Whether another process continues the connection. */
  #isMoving = false;
  /** Rooms that the connection was in before it arrived, and that the handler has not joined yet. */
  readonly #rejoined: Set<string>;

  /** `roomsLimit` is in bytes. */
  constructor(
    private readonly entry: Entry,
    private readonly connection: Connection,
    private readonly rooms: Rooms,
    private readonly handshake: Handshake,
    roomsLimit: number,
    /** Undefined if the route has no schema for it. */
    private readonly state: object | undefined,
    carried: Carried | undefined,
  ) {
    this.#rejoined = new Set(carried?.rooms);
    if (carried && carried.rooms.length > 0) rooms.arrive(this, carried.seen);
    this.#joined = new Membership(rooms, this, roomsLimit);
    this.#receivers = new Receivers(entry, (reason) => this.close(1007, reason));
    // After the end of this run, newer code may already serve the connection.
    this.#messages = messagesOf(entry, (thrown) => (this.#hasEnded ? this.#log(thrown) : this.#fail(thrown)));
    this.settled = new Promise((resolve) => handshake.once('close', resolve));
    void this.settled.then(() => this.entered.resolve());
    void this.entered.promise.then(() => this.#rejoined.clear());
  }

  get project(): Entry['project'] {
    return this.entry.project;
  }

  /** Run the handler, once; messages follow when it is done. If it throws, the connection closes. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const failure = this.handshake.isRenewal ? 1012 : 1011;
    const open = () => {
      this.entered.resolve();
      if (this.#takes) this.#openInbox();
    };
    try {
      // The run may have waited for the verification of a version.
      const result = this.#context.runInAsyncScope(this.entry.handler, undefined, this.#tools());
      if (!isThenable(result)) return open();
      this.#isRunning = true;
      this.#ready = Promise.resolve(result)
        .finally(() => {
          this.#isRunning = false;
        })
        .then(open, (thrown) => (this.#isEndedBy(thrown) ? open() : this.#fail(thrown, failure)));
    } catch (thrown) {
      this.#fail(thrown, failure);
    }
  }

  #openInbox(): void {
    this.connection.inbox.open((message) => this.#context.runInAsyncScope(this.#receive, this, message));
  }

  deliver(message: Outgoing): void {
    if (this.#speaks) this.connection.send(message);
  }

  /** The connection has ended: handle the messages that arrived, then run the `onClose` callbacks. */
  async end(closing: Closing): Promise<void> {
    if (!this.#startEnding(closing)) return;
    // With a limit, because a handler may be a loop that ignores `signal`.
    if (this.#ready) await settledWithin(this.#ready, STOP_TIMEOUT_MS);
    await this.connection.inbox.emptied();
    await this.#finish(closing);
  }

  /** Newer code starts: handle no further messages. Resolves when the connection can be handed over to it. */
  async leave(closing: Closing): Promise<void> {
    if (!this.#startEnding(closing)) return;
    this.#takes = false;
    const leaving = this.connection.inbox.close().then(() => this.#finish(closing));
    await settledWithin(leaving, STOP_TIMEOUT_MS);
    this.#speaks = false;
  }

  get hasState(): boolean {
    return this.state !== undefined;
  }

  /** The file of its route, for messages. */
  get file(): string {
    return this.project.display(this.entry.req.route.file ?? '');
  }

  /** The JSON of the state; undefined if the route has none. Throws StateError. */
  get stateText(): string | undefined {
    return this.state && stateText(this.state);
  }

  /** Another process continues: like `leave`, without a limit. Resolves with undefined if the connection is ending. */
  async carry(): Promise<Carried | undefined> {
    if (!this.#startEnding(CODE_CHANGED)) return undefined;
    this.#takes = false;
    this.#isMoving = true;
    if (this.#ready) await settledWithin(this.#ready, STOP_TIMEOUT_MS);
    await this.connection.inbox.close();
    if (!this.connection.isOpen) {
      // The client has closed the connection meanwhile: handle its last messages.
      this.#openInbox();
      await this.connection.inbox.emptied();
      await this.#finish(await this.connection.closed());
      return undefined;
    }
    await this.#runClosers(CODE_CHANGED);
    for (let rest = this.#messages.settled(); rest; rest = this.#messages.settled()) await rest;
    // It is a member until here, so later messages of its rooms are exactly the messages that it has not seen.
    const carried = { rooms: this.#joined.names, seen: this.rooms.seenBy(this) };
    this.#joined.leaveAll();
    this.#hasEnded = true;
    this.#speaks = false;
    this.handshake.settle();
    return { ...carried, state: this.stateText };
  }

  close(code: number, reason: string): void {
    this.#dropRest();
    this.connection.close(code, reason);
  }

  abandon(): void {
    this.handshake.settle();
  }

  #replay(room: string): void {
    if (this.rooms.isRecording) this.rooms.replay(room, this);
    else this.close(1012, 'Too many messages were published meanwhile');
  }

  #startEnding(closing: Closing): boolean {
    if (this.#closing) return false;
    this.#closing = closing;
    this.#endedAt = performance.now();
    this.#context.runInAsyncScope(() => this.#abort.abort());
    return true;
  }

  async #finish(closing: Closing): Promise<void> {
    this.#takes = false;
    this.#joined.leaveAll();
    this.#hasEnded = true;
    await this.#runClosers(closing);
    await this.#messages.settled();
    this.#speaks = false;
    this.handshake.settle();
  }

  async #runClosers(closing: Closing): Promise<void> {
    for (const closed of this.#closers) await this.#runCloser(closed, closing);
  }

  async #runCloser(closed: OnClosed, closing: Closing): Promise<void> {
    try {
      await this.#context.runInAsyncScope(closed, undefined, closing);
    } catch (thrown) {
      this.#log(thrown);
    }
  }

  #receive(message: Message): unknown {
    try {
      const result = this.#receivers.receive(message);
      // A client that keeps sending must not fill the memory with answers that are still being checked.
      if (!isThenable(result)) return this.#messages.room();
      // Does not call the promise's own `then`, which may come from any library and return anything.
      return Promise.resolve(result).then(
        () => this.#messages.room(),
        (thrown) => this.#fail(thrown),
      );
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  /** Whether project code failed only because the connection has ended. */
  #isEndedBy(thrown: unknown): boolean {
    return this.#closing !== undefined && isEndOf(thrown, [this.#abort.signal]);
  }

  /**
   * The result of `send` after the connection has ended. A handler that still runs, or a callback
   * that doesn't end, may be a loop that ignores `signal`; the callbacks of the last messages may
   * finish.
   */
  #sendAfterEnd(): Promise<void> {
    const isLoop = !this.#hasEnded && performance.now() - this.#endedAt > STOP_TIMEOUT_MS;
    return this.#closing && (this.#isRunning || isLoop) ? rejectEnded() : nextTurn();
  }

  #fail(thrown: unknown, failure = 1011): void {
    if (this.#isEndedBy(thrown)) return;
    const { code, reason, isLogged } = closingFor(thrown, this.project, failure);
    if (isLogged) this.#log(thrown);
    this.close(code, reason);
  }

  /** Log a failure once: an invalid message is logged, and also rejects the promise of `send`. */
  #log(thrown: unknown): void {
    if (this.#isEndedBy(thrown)) return;
    if (this.#logged && this.#logged.thrown === thrown) return;
    this.#logged = { thrown };
    logFailure(thrown, this.entry);
  }

  /** Drop the messages that still arrive: they must be read, because the closing frame follows. */
  #dropRest(): void {
    this.#takes = false;
    this.connection.inbox.open(() => undefined);
  }

  #tools(): Socket {
    const { req, ctx } = this.entry;
    const { signal } = this.#abort;
    const connection = this.connection;
    const receivers = this.#receivers;
    const messages = this.#messages;
    const send = (data: Sendable) => {
      const isOpen = this.#speaks && connection.isOpen && !(this.#closing && this.#isRunning);
      return isOpen ? connection.send(encodeMessage(data)) : this.#sendAfterEnd();
    };
    return {
      state: this.state as never,
      req,
      ctx,
      params: req.params,
      protocol: connection.protocol,
      signal,
      send: (data) => messages.put(data, send),
      onMessage: (receive) => receivers.addMessage(receive),
      onJson: (receive) => receivers.addJson(receive),
      onInvalid: (invalid) => receivers.addInvalid(invalid),
      onClose: (closed) => {
        // The handler still runs after the end of the connection: its resources must be released nevertheless.
        if (this.#hasEnded && this.#closing) void this.#runCloser(closed, this.#closing);
        else this.#closers.push(closed);
      },
      close: (code = 1000, reason = '') => {
        messages.after(() => void (this.#speaks && connection.close(code, reason)));
      },
      join: (room) => {
        if (this.#hasEnded) return;
        this.#joined.join(room);
        if (this.#rejoined.delete(room)) this.#replay(room);
      },
      leave: (room) => this.#joined.leave(room),
      publish: (room, data, { self = true } = {}) => {
        const but = self && !this.#isMoving ? undefined : this;
        messages.put(data, (value) => void this.rooms.publish(room, value, but));
      },
    };
  }
}

type OnClosed = (closing: Closing) => unknown;

/** The closing frame for an error, and whether the error is logged. */
interface FailureClosing extends Closing {
  readonly isLogged: boolean;
}

/** The closing frame for a thrown value. Never throws. `failure`: the code for unintentional errors. */
function closingFor(thrown: unknown, { mode }: Project, failure: number): FailureClosing {
  try {
    if (isHttpError(thrown) && thrown.status < 500)
      return { code: 1008, reason: truncateReason(thrown.message), isLogged: false };
    if (isUnavailable(thrown))
      return {
        code: 1013,
        reason: 'A required service is temporarily unavailable. Try again soon',
        isLogged: true,
      };
    if (mode === 'development')
      return { code: failure, reason: truncateReason(messageOf(thrown)), isLogged: true };
  } catch {
    // A Proxy that throws when it is read has no message.
  }
  return { code: failure, reason: 'Something went wrong on the server', isLogged: true };
}

function logFailure(thrown: unknown, { req, project }: Entry): void {
  const { raw, route, path } = req;
  if (SOCKET_ERROR.hasSubscribers)
    SOCKET_ERROR.publish({ error: thrown, raw, route: route.path ?? '' } satisfies SocketFailure);
  const what = `WS ${path} failed in ${project.display(route.file ?? '')}`;
  if (isUnavailableError(thrown)) return logUnavailable(thrown, what, req, project);
  logSafely(scopeLogger(project.logger, req), 'error', what, thrown);
}

function isUnavailableError(thrown: unknown): thrown is Unavailable {
  try {
    return isUnavailable(thrown);
  } catch {
    // A Proxy that throws when it is read.
    return false;
  }
}
