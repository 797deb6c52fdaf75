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
import { hasBody, type UpgradeServer } from '../http/internal.js';
import { Connection, type Inbox } from './connection.js';
import { HandlerRun } from './handler-run.js';
import { Handshake, protocolOf } from './handshake.js';
import type { wsOptions } from './options.js';
import type { Rooms } from './rooms.js';
import { type Entry, upgrades } from './upgrades.js';

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

  constructor(server: UpgradeServer, runtime: Runtime, rooms: Rooms, settings: SocketSettings) {
    this.#server = server;
    this.#rooms = rooms;
    this.#settings = settings;
    this.#protocol = this.#protocolOf(settings);
    server.onHandshake((raw, socket, head) => this.#greet(raw, socket, head));
    runtime.onClose(() => this.#close());
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
    if (await settledWithin(over, this.#settings.drainLimit)) return;
    runtime.cutOff = true;
    for (const run of runs) run.abandon();
  }

  /** Close all connections, so that clients reconnect to another process. */
  leave(): void {
    for (const connection of this.#connections.keys()) connection.close(1001, 'The server is shutting down');
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
    const handshake = new Handshake(raw, this.#server);
    if (!this.#server.answer(socket, handshake)) return;
    handshake.once('finish', () => {
      handshake.detachSocket(socket as NetSocket);
      handshake.settle();
    });
    const context = new AsyncResource('fwkit.Handshake');
    upgrades.set(handshake, (entry) => this.#accept(entry, handshake, socket, head, context));
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
    const { req, res, project } = entry;
    this.#headers = await res.detachForUpgrade();
    this.#subprotocols = entry.definition?.protocols ?? [];
    const raw = req.raw;
    let peer: WebSocket | undefined;
    if (socket.readable && socket.writable) {
      handshake.detachSocket(socket as NetSocket);
      handshake.statusCode = 101;
      this.#protocol.handleUpgrade(raw, socket, head, (accepted) => {
        peer = accepted;
      });
      // The client has disconnected, and nothing else would close this end.
    } else socket.destroy();
    if (!peer) return handshake.settle();
    this.#server.endRequest(raw);
    const { backpressureLimit, inboxLimit } = this.#settings;
    const onSlow = (waiting: number) =>
      logSafely(
        project.logger,
        'warn',
        `WS ${req.path} was cut off: its client left ${waiting} bytes unread (ws.backpressureLimit).`,
      );
    const connection = new Connection(peer, socket, req, context, { backpressureLimit, inboxLimit, onSlow });
    connection.onEnd = (closing) => {
      const run = this.#connections.get(connection);
      this.#connections.delete(connection);
      void run?.end(closing);
    };
    this.#enter(connection, entry, handshake);
  }

  #enter(connection: Connection, entry: Entry, handshake: Handshake): void {
    const run = new HandlerRun(entry, connection, this.#rooms, handshake, this.#settings.roomsLimit);
    this.#connections.set(connection, run);
    this.#runs.add(run);
    void run.settled.then(() => this.#runs.delete(run));
    closeWithSession(entry, run);
    this.#unverified.hold(connection.inbox);
    if (entry.project === this.#project) run.begin();
    // Newer code has started while the handshake was in progress.
    else if (!this.#unverified.has(entry.project)) return void this.#renew(connection);
    if (this.#isClosing) connection.close(1001, 'The server is shutting down');
  }

  /** Move a connection to the new code: end the run of the old handler, and route its handshake again. */
  async #renew(connection: Connection): Promise<void> {
    const run = this.#connections.get(connection);
    // Without a run, the connection is already being moved.
    if (!run) return;
    this.#connections.set(connection, undefined);
    await run.leave({ code: 1012, reason: 'The code has changed' });
    const refuse = () => {
      connection.close(1012, 'The new code does not accept this connection');
      handshake.settle();
    };
    const handshake = new Handshake(connection.raw, this.#server, refuse);
    upgrades.set(handshake, async (entry) => {
      await entry.res.detachForUpgrade();
      handshake.statusCode = 101;
      if (connection.isOpen) this.#enter(connection, entry, handshake);
      else handshake.settle();
    });
    connection.context.runInAsyncScope(() => this.#server.route(connection.raw, handshake));
  }

  #close(): void {
    this.#isClosing = true;
    this.#stopHeartbeat();
    this.#unverified.release();
    this.leave();
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

/** Versions that answer requests while they are being verified. WebSocket messages wait until the verification is over. */
class UnverifiedVersions {
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
