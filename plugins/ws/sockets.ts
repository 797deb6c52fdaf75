import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { OptionValues, Project, Shell } from '../../kernel/index.js';
import {
  answerOn,
  hasBody,
  ignoreUpgrade,
  isHandshake,
  logSafely,
  Refusal,
  refuseOn,
} from '../http/index.js';
import { acceptors, type Entry } from './acceptors.js';
import { Connection } from './connection.js';
import { Handshake } from './handshake.js';
import type { wsOptions } from './options.js';
import type { Rooms } from './rooms.js';
import { Setup } from './setup.js';
import { within } from './within.js';

export type SocketSettings = OptionValues<typeof wsOptions>;

/** How long a client may take to answer a closing frame, in milliseconds. One that does not is cut off. */
const CLOSE_TIMEOUT = 2_000;

/** How many frames, or packets of the network, a message may come in; the largest one of the default size has 64 bytes each. */
const MOST_PIECES = 16_384;

/** All WebSockets of a shell. Generations of the project come and go below them. */
export class Sockets {
  readonly #node: Server;
  /** Whether connections are this server's, and not lent by another. */
  readonly #isOwn: boolean;
  readonly #rooms: Rooms;
  readonly #connections = new Map<Connection, Setup | undefined>();
  readonly #setups = new Set<Setup>();
  /** The project whose code serves. */
  #project: Project | undefined;
  #settings: SocketSettings;
  #protocol: WebSocketServer;
  /** Headers of the handshake that is being answered. */
  #headers: readonly string[] = [];
  #heartbeat: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(node: Server, shell: Shell, rooms: Rooms, settings: SocketSettings) {
    this.#node = node;
    this.#isOwn = shell.transport === 'http';
    this.#rooms = rooms;
    this.#settings = settings;
    this.#protocol = this.#speak(settings);
    node.on('upgrade', (raw, socket, head) => this.#greet(raw, socket, head));
    shell.onClose(() => this.#close());
  }

  /** Serve by the code of `project` from now on: connections that are there are set up anew. */
  takeOver(project: Project, settings: SocketSettings): void {
    this.#project = project;
    this.#settings = settings;
    this.#protocol = this.#speak(settings);
    clearInterval(this.#heartbeat);
    if (settings.heartbeat > 0)
      this.#heartbeat = setInterval(() => {
        for (const connection of this.#connections.keys()) connection.probe();
      }, settings.heartbeat).unref();
    for (const connection of this.#connections.keys()) void this.#renew(connection);
  }

  /** End what the code of `project` still serves. Resolves when its callbacks are done. */
  async end(project: Project, shell: Shell): Promise<void> {
    if (this.#project === project) this.#project = undefined;
    for (const [connection, setup] of this.#connections)
      if (setup?.project === project) connection.close(1012, 'The code that served this is gone');
    const setups = [...this.#setups].filter((setup) => setup.project === project);
    const over = Promise.all(setups.map((setup) => setup.over));
    // What an edit replaces ends in its own time, as requests do.
    if (!this.#isClosing) return void (await over);
    if (await within(over, this.#settings.drainLimit)) return;
    shell.cutOff = true;
    for (const setup of setups) setup.abandon();
  }

  #speak({ maxPayload, compress }: SocketSettings): WebSocketServer {
    const options = { noServer: true, clientTracking: false, closeTimeout: CLOSE_TIMEOUT };
    const server = new WebSocketServer({
      ...options,
      maxPayload,
      // Each piece costs some hundred bytes beside its own, which are one at least.
      maxFragments: MOST_PIECES,
      maxBufferedChunks: Math.max(MOST_PIECES, Math.ceil(maxPayload / 400)),
      perMessageDeflate: compress,
    });
    return server.on('headers', (lines) => {
      for (let index = 0; index < this.#headers.length; index += 2)
        lines.push(`${this.#headers[index]}: ${this.#headers[index + 1]}`);
    });
  }

  /** Route a handshake as any other request. */
  #greet(raw: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Node has taken its own listeners away: without one, a connection that breaks would end the process.
    socket.on('error', () => {});
    if (this.#isOwn && !isHandshake(raw)) return ignoreUpgrade(this.#node, raw, socket, head);
    // Node has stopped parsing: a body cannot be read any more, and no handshake has one.
    if (hasBody(raw)) return refuseOn(raw, socket, new Refusal(400, 'A handshake has no body'));
    const handshake = new Handshake(raw);
    if (!answerOn(socket, handshake)) return;
    handshake.once('finish', () => {
      handshake.detachSocket(socket as NetSocket);
      handshake.conclude();
    });
    const context = new AsyncResource('fwkit.Handshake');
    acceptors.set(handshake, (entry) => this.#accept(entry, handshake, socket, head, context));
    this.#node.emit('request', raw, handshake);
  }

  async #accept(
    entry: Entry,
    handshake: Handshake,
    socket: Duplex,
    head: Buffer,
    context: AsyncResource,
  ): Promise<void> {
    if (this.#isClosing || this.#project === undefined) throw new Refusal(503, 'The server is shutting down');
    const { req, res, project } = entry;
    this.#headers = await res.handOver();
    const raw = req.raw;
    let peer: WebSocket | undefined;
    if (socket.readable && socket.writable) {
      handshake.detachSocket(socket as NetSocket);
      handshake.statusCode = 101;
      this.#protocol.handleUpgrade(raw, socket, head, (made) => {
        peer = made;
      });
    }
    if (!peer) return handshake.conclude();
    const { backpressureLimit, inboxLimit } = this.#settings;
    const onSlow = (waiting: number) =>
      logSafely(
        project.logger,
        'warn',
        `WS ${req.path} was cut off: its client left ${waiting} bytes unread (ws.backpressureLimit).`,
      );
    const connection = new Connection(peer, socket, raw, context, { backpressureLimit, inboxLimit, onSlow });
    connection.onEnd = (closing) => {
      const setup = this.#connections.get(connection);
      this.#connections.delete(connection);
      void setup?.end(closing);
    };
    this.#enter(connection, entry, handshake, 1011);
  }

  #enter(connection: Connection, entry: Entry, handshake: Handshake, failure: 1011 | 1012): void {
    const setup = new Setup(entry, connection, this.#rooms, handshake, this.#settings.roomsLimit);
    this.#connections.set(connection, setup);
    this.#setups.add(setup);
    void setup.over.then(() => this.#setups.delete(setup));
    // Newer code has come while the handshake was on its way.
    if (entry.project !== this.#project) return void this.#renew(connection);
    setup.begin(failure);
    if (this.#isClosing) connection.close(1001, 'The server is shutting down');
  }

  /** Take the connection from the code that serves it, and send its handshake through the new code. */
  async #renew(connection: Connection): Promise<void> {
    const setup = this.#connections.get(connection);
    // Without one, it is on its way already.
    if (!setup) return;
    this.#connections.set(connection, undefined);
    await setup.leave({ code: 1012, reason: 'The code has changed' });
    const refuse = () => {
      connection.close(1012, 'The new code does not take this connection');
      handshake.conclude();
    };
    const handshake = new Handshake(connection.raw, refuse);
    acceptors.set(handshake, async (entry) => {
      await entry.res.handOver();
      handshake.statusCode = 101;
      if (connection.isOpen) this.#enter(connection, entry, handshake, 1012);
      else handshake.conclude();
    });
    connection.context.runInAsyncScope(() => this.#node.emit('request', connection.raw, handshake));
  }

  #close(): void {
    this.#isClosing = true;
    clearInterval(this.#heartbeat);
    for (const connection of this.#connections.keys()) connection.close(1001, 'The server is shutting down');
  }
}
