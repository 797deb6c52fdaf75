import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { OptionValues, Project, Runtime } from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';
import { settledWithin } from '../context/index.js';
import { sessionOf } from '../context/internal.js';
import { HttpProblem } from '../http/index.js';
import {
  ActiveWork,
  type Arrival,
  arrivalOf,
  endArrival,
  type Handover,
  hasBody,
  type Moves,
  movesOf,
  type UpgradeServer,
} from '../http/internal.js';
import { type Carried, Connection, type MovedConnection, UnverifiedVersions } from './connection.js';
import { CODE_CHANGED, HandlerRun } from './handler-run.js';
import { Handshake, protocolOf } from './handshake.js';
import type { wsOptions } from './options.js';
import { truncateReason } from './receivers.js';
import type { Rooms } from './rooms.js';
import { SocketInfo } from './socket-info.js';
import { StateError, stateOf } from './state.js';
import { type Entry, upgrades } from './upgrades.js';

const SHUTTING_DOWN = [1001, 'The server is shutting down'] as const;
const NOT_ACCEPTED = [1012, 'The new code does not accept this connection'] as const;

export type SocketSettings = OptionValues<typeof wsOptions>;

/** All WebSockets of a runtime. They outlive the versions of the project. */
export class Sockets {
  readonly #server: UpgradeServer;
  readonly #rooms: Rooms;
  readonly #connections = new Map<Connection, HandlerRun | undefined>();
  readonly #runs = new Set<HandlerRun>();
  #project: Project | undefined;
  readonly #unverified = new UnverifiedVersions();
  #settings: SocketSettings;
  #protocol: WebSocketServer;
  /** Headers of the handshake that is being answered. */
  #headers: readonly string[] = [];
  #stopHeartbeat = (): void => {};
  /** Subprotocols of its handler. */
  #subprotocols: readonly string[] = [];
  #isClosing = false;
  /** Set when another process replaces this one. */
  #handover: Handover | undefined;
  /** Connections whose handler does not run yet. */
  readonly #entering = new ActiveWork();
  /** Connections of other processes whose handler has not joined its rooms yet. */
  readonly #arriving = new ActiveWork();
  /** Undefined if there are no other processes to which connections can move. */
  readonly #moves: Moves | undefined;

  constructor(server: UpgradeServer, runtime: Runtime, rooms: Rooms, settings: SocketSettings) {
    this.#server = server;
    this.#rooms = rooms;
    this.#settings = settings;
    this.#protocol = this.#protocolOf(settings);
    server.onHandshake((raw, socket, head) => this.#greet(raw, socket, head));
    runtime.onClose(() => this.#close());
    this.#moves = movesOf(runtime);
    if (!this.#moves) return;
    rooms.startRecording();
    void this.#moves.ended
      .then(() => settledWithin(this.#arriving.idle(), settings.drainLimit))
      .then(() => rooms.stopRecording());
  }

  /**
   * The code of `project` answers requests while it is verified. Messages wait until the
   * verification is done, so that they run on the same code as requests. Returns a function that
   * rolls the activation back.
   */
  activate(project: Project): () => void {
    this.#unverified.add(project);
    for (const { inbox } of this.#connections.keys()) this.#unverified.hold(inbox);
    return () => {
      this.#unverified.delete(project);
      if (this.#unverified.isEmpty) this.#settle();
    };
  }

  /** Serve with the code of `project` from now on. Its handlers also run for existing connections. */
  start(project: Project, settings: SocketSettings): void {
    this.#project = project;
    this.#settings = settings;
    this.#protocol = this.#protocolOf(settings);
    this.#stopHeartbeat();
    if (settings.heartbeat > 0) {
      const probe = () => {
        for (const connection of this.#connections.keys()) connection.probe();
      };
      const timer = project.clock.setInterval(probe, settings.heartbeat);
      timer.unref();
      this.#stopHeartbeat = () => project.clock.clear(timer);
    }
    this.#settle();
  }

  /** Move all connections to the serving code, and resume their messages. */
  #settle(): void {
    for (const [connection, run] of this.#connections)
      if (run?.project === this.#project) run?.begin();
      else void this.#renew(connection);
    this.#unverified.release();
  }

  /** End the connections that the code of `project` still serves. Resolves when its callbacks are done. */
  async end(project: Project, runtime: Runtime): Promise<void> {
    if (this.#project === project) this.#project = undefined;
    for (const [connection, run] of this.#connections)
      if (run?.project === project)
        connection.close(1012, 'The code that served this connection has been removed');
    const runs = [...this.#runs].filter((run) => run.project === project);
    const over = Promise.all(runs.map((run) => run.settled));
    // After an edit, callbacks get as much time as they need, like requests.
    if (!this.#isClosing) return void (await over);
    // The runs of connections that could not move have settled, but the access log still waits for their end.
    const closed = [...this.#connections.keys()].map((connection) => connection.closed());
    if (await settledWithin(Promise.all([over, ...closed]), this.#settings.drainLimit)) return;
    runtime.cutOff = true;
    for (const run of runs) run.abandon();
  }

  /** Another process continues. Resolves when each connection has moved with `handover`, or is closing: its client reconnects. */
  async leave(handover?: Handover): Promise<void> {
    this.#handover = handover;
    const all = [...this.#connections.keys()];
    if (!handover) return void all.map((connection) => this.#leave(connection));
    await handover.forEach(all, (connection) => this.#leave(connection));
    // Handshakes in progress become connections, which leave at once.
    await this.#entering.idle();
  }

  async #leave(connection: Connection): Promise<void> {
    const run = this.#connections.get(connection);
    const handover = this.#handover;
    // It moves, and closes if that fails.
    if (connection.isMoving) return;
    if (!handover || handover.isOver) return connection.close(...SHUTTING_DOWN);
    // Its handshake is being routed again: it leaves afterwards.
    if (!run) return;
    const report = (reason: string) => this.#moves?.reportClosed(`${reason} (${run.file})`, false);
    if (!run.hasState || !connection.canMove) {
      if (connection.isOpen) report(run.hasState ? 'compressed' : 'without state');
      return connection.close(...SHUTTING_DOWN);
    }
    this.#connections.set(connection, undefined);
    const refusal = await this.#move(connection, run, handover);
    if (refusal === undefined) return;
    report(refusal);
    if (handover.isOver) connection.close(...SHUTTING_DOWN);
    else connection.close(...NOT_ACCEPTED);
  }

  /** Hand a connection over. Resolves with the reason why it must be closed, if any. */
  async #move(connection: Connection, run: HandlerRun, handover: Handover): Promise<string | undefined> {
    const carrying = run.carry();
    try {
      if (!(await settledWithin(carrying, this.#settings.drainLimit)))
        return 'with a callback that did not end';
      const carried = await carrying;
      return carried && (await connection.move(handover, carried));
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
      return `with a state that ${thrown.message}`;
    }
  }

  /** Serve a connection that another process has handed over. */
  #arrive(raw: IncomingMessage, socket: NetSocket, { details }: Arrival): void {
    const { tail, inbox, protocol, route, counts, ...carried } = details as MovedConnection;
    const peer = this.#upgrade(raw, socket, Buffer.from(tail), protocol === '' ? [] : [protocol]);
    if (!peer) return;
    const context = new AsyncResource('fwkit.Handshake');
    const connection = this.#connect(peer, socket, new SocketInfo(raw, route, counts), context);
    connection.follow();
    for (const message of inbox)
      connection.inbox.put(typeof message === 'string' ? message : Buffer.from(message), message.length);
    this.#connections.set(connection, undefined);
    if (this.#isClosing) return connection.close(...SHUTTING_DOWN);
    this.#routeAgain(connection, carried);
    this.#server.endRequest(raw);
  }

  readonly #protocolOf = (settings: SocketSettings): WebSocketServer =>
    protocolOf(
      settings,
      () => this.#headers,
      () => this.#subprotocols,
    );

  /** Route a handshake like any other request. */
  #greet(raw: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Node has removed its own listeners: without a listener, a broken connection would end the process.
    socket.on('error', () => {});
    // Node has stopped parsing, so a body can no longer be read, and no valid handshake has one.
    if (hasBody(raw))
      return this.#server.sendProblem(raw, socket, new HttpProblem(400, 'A handshake must not have a body'));
    const arrival = arrivalOf(raw);
    if (arrival) return this.#arrive(raw, socket as NetSocket, arrival);
    const handshake = new Handshake(raw, this.#server);
    if (!this.#server.answer(socket, handshake)) return;
    handshake.once('finish', () => {
      handshake.detachSocket(socket as NetSocket);
      handshake.settle();
    });
    const end = this.#entering.begin();
    handshake.once('close', end);
    const context = new AsyncResource('fwkit.Handshake');
    upgrades.set(handshake, async (entry) => {
      await this.#accept(entry, handshake, socket, head, context);
      end();
    });
    this.#server.route(raw, handshake);
  }

  async #accept(
    entry: Entry,
    handshake: Handshake,
    socket: Duplex,
    head: Buffer,
    context: AsyncResource,
  ): Promise<void> {
    if (this.#isClosing || (this.#project === undefined && this.#unverified.isEmpty))
      throw new HttpProblem(503, 'The server is shutting down');
    const { req, res, definition } = entry;
    const headers = await res.detachForUpgrade();
    const raw = req.raw;
    let peer: WebSocket | undefined;
    if (socket.readable && socket.writable) {
      handshake.detachSocket(socket as NetSocket);
      handshake.statusCode = 101;
      peer = this.#upgrade(raw, socket, head, definition?.protocols, headers);
      // The client has disconnected, and nothing else would close this end.
    } else socket.destroy();
    if (!peer) return handshake.settle();
    this.#server.endRequest(raw);
    const connection = this.#connect(peer, socket, new SocketInfo(raw, req.route.path ?? ''), context);
    if (definition?.state && this.#moves) connection.follow();
    this.#enter(connection, entry, handshake);
  }

  /** Have `ws` speak its protocol on a connection. Returns undefined if the connection has ended. */
  #upgrade(
    raw: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    subprotocols: readonly string[] = [],
    headers: readonly string[] = [],
  ): WebSocket | undefined {
    this.#headers = headers;
    this.#subprotocols = subprotocols;
    let peer: WebSocket | undefined;
    this.#protocol.handleUpgrade(raw, socket, head, (accepted) => {
      peer = accepted;
    });
    return peer;
  }

  #connect(peer: WebSocket, socket: Duplex, info: SocketInfo, context: AsyncResource): Connection {
    const onSlow = (waiting: number) => {
      if (this.#project)
        logSafely(
          this.#project.logger,
          'warn',
          `WS ${info.raw.url?.split('?')[0]} was cut off: its client left ${waiting} bytes unread (ws.backpressureLimit).`,
        );
    };
    const connection = new Connection(peer, socket, info, context, { ...this.#settings, onSlow });
    connection.onEnd = (closing) => {
      const run = this.#connections.get(connection);
      this.#connections.delete(connection);
      void run?.end(closing);
    };
    return connection;
  }

  /** Run the handler for a connection. Throws StateError if its schema rejects the state that `carried` has. */
  #enter(connection: Connection, entry: Entry, handshake: Handshake, carried?: Carried): HandlerRun {
    const schema = entry.definition?.state;
    const state = schema && stateOf(schema, carried?.state);
    const { roomsLimit } = this.#settings;
    const run = new HandlerRun(entry, connection, this.#rooms, handshake, roomsLimit, state, carried);
    this.#connections.set(connection, run);
    this.#runs.add(run);
    void run.settled.then(() => this.#runs.delete(run));
    closeWithSession(entry, run);
    this.#unverified.hold(connection.inbox);
    if (entry.project === this.#project) run.begin();
    // Newer code has started while the handshake was in progress.
    else if (!this.#unverified.has(entry.project)) {
      void this.#renew(connection);
      return run;
    }
    if (this.#isClosing || this.#handover) void this.#leave(connection).finally(this.#entering.begin());
    return run;
  }

  /** Move a connection to the new code: end the run of the old handler, and route its handshake again. */
  async #renew(connection: Connection): Promise<void> {
    const run = this.#connections.get(connection);
    // Without a run, the connection is already being moved.
    if (!run) return;
    this.#connections.set(connection, undefined);
    await run.leave(CODE_CHANGED);
    try {
      this.#routeAgain(connection, { state: run.stateText, rooms: [], seen: new Map() });
    } catch (thrown) {
      if (!(thrown instanceof StateError)) throw thrown;
      connection.close(1012, truncateReason(`The state of this connection ${thrown.message}`));
    }
  }

  /** Route the handshake of an open connection again. The connection is closed if it is refused. */
  #routeAgain(connection: Connection, carried: Carried): void {
    const { raw, protocol } = connection;
    const enter = this.#entering.begin();
    const arrive = this.#arriving.begin();
    const refuse = (reason: string) => {
      this.#moves?.reportClosed(reason, true);
      connection.close(...NOT_ACCEPTED);
      handshake.settle();
    };
    const handshake = new Handshake(raw, this.#server, () => refuse(`refused (${raw.url?.split('?')[0]})`));
    handshake.once('close', () => {
      endArrival(raw);
      enter();
      arrive();
    });
    upgrades.set(handshake, async (entry) => {
      await entry.res.detachForUpgrade();
      handshake.statusCode = 101;
      if (!connection.isOpen) return handshake.settle();
      endArrival(raw);
      try {
        if (carried.rooms.length > 0 && !this.#rooms.isRecording)
          throw new StateError('too many messages in its rooms');
        if (protocol !== '' && !entry.definition?.protocols?.includes(protocol))
          throw new StateError(`no protocol "${protocol}"`);
        const run = this.#enter(connection, entry, handshake, carried);
        enter();
        void run.entered.promise.then(arrive);
      } catch (thrown) {
        if (!(thrown instanceof StateError)) throw thrown;
        refuse(`refused (${entry.project.display(entry.req.route.file ?? '')}: ${thrown.message})`);
      }
    });
    connection.context.runInAsyncScope(() => this.#server.route(raw, handshake));
  }

  #close(): void {
    this.#isClosing = true;
    this.#stopHeartbeat();
    this.#unverified.release();
    void this.leave();
  }
}

/** Close `run`'s connection when the visitor's session ends: the client reconnects with a new one. */
function closeWithSession({ req }: Entry, run: HandlerRun): void {
  const stop = sessionOf(req)?.onEnd?.((how) =>
    how === 'ended'
      ? run.close(1008, 'The session has ended')
      : run.close(1012, 'The session has a new id: reconnect'),
  );
  if (stop) void run.settled.then(stop);
}
