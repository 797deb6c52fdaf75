import type { RequestListener, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Runtime } from '../../../../kernel/index.js';
import { DRAIN_LIMIT_MS } from '../../options.js';
import { httpTransportOf } from '../transport.js';
import { closeWhenEmpty, type ListeningHandle } from './backlog.js';
import { Drain, isAnswering, speaksHttp } from './drain.js';
import { Handover, type Moves } from './handover.js';

/**
 * Milliseconds to wait for the next request on an idle connection during shutdown, or for the rest of a head. A busy client
 * has sent one long before that, and the response makes it open a new connection.
 */
const GRACE_MS = 500;
/** The same while other processes continue to serve: closing a connection could lose a request that they would answer. */
const RETIRE_GRACE_MS = 5_000;
/** Milliseconds that a retiring process keeps idle connections if `http.keepAliveTimeout` is 0, which means no limit. */
const DEFAULT_KEEP_ALIVE_MS = 72_000;

/** The most milliseconds to wait for connections in the backlog, however busy the machine is. */
const ACCEPT_LIMIT_MS = 2_000;
/** Milliseconds between two checks whether connections have become idle. */
const IDLE_CHECK_MS = 25;

export interface Ending {
  readonly node: Server;
  readonly sockets: ReadonlySet<Socket>;
  /** Replace the listener for requests. Returns the previous one. */
  receive(listener: RequestListener): RequestListener;
}

/** The graceful shutdown of a server: requests that arrive until then are answered, and no accepted request is lost. */
export class Shutdown {
  /** Milliseconds that closing waits for requests. May change when the config is edited. */
  drainLimit = DRAIN_LIMIT_MS;
  /** Milliseconds between `announce` and the end of accepting connections. */
  drainDelay = 0;
  readonly #server: Ending;
  readonly #runtime: Runtime;
  #announced: Promise<void> | undefined;
  /** Resolves when all connections have closed; undefined while new ones are accepted. */
  #ended: Promise<void> | undefined;
  /** Resolves when no more connections are accepted. */
  #stopped: Promise<void> | undefined;
  #drain: Drain | undefined;
  /** Milliseconds to wait for connections after the runtime is closed. */
  #grace = GRACE_MS;
  readonly #leavers: ((handover?: Handover) => unknown)[] = [];
  #handover: Handover | undefined;

  constructor(server: Ending, runtime: Runtime) {
    this.#server = server;
    this.#runtime = runtime;
    // Limited by `drainLimit` instead of by the limit for callbacks of plugins.
    runtime.onClose(
      () => this.#close(),
      (_, close) => close,
    );
  }

  /** Whether the shutdown is announced, and no other process takes over. */
  get isAnnounced(): boolean {
    return this.#announced !== undefined;
  }

  /**
   * Report not ready from now on, and keep serving for `drainDelay`, so that load balancers that check readiness switch to
   * other servers. Responses already send `Connection: close`, so that connections in use aren't the ones closed afterwards.
   */
  announce(): Promise<void> {
    if (!this.#announced && this.drainDelay > 0 && !this.#drain) this.#drainWith(Number.POSITIVE_INFINITY);
    this.#announced ??= this.drainDelay > 0 ? delay(this.drainDelay) : Promise.resolve();
    return this.#announced;
  }

  /** Run `end` when this process retires, to close long-lived connections. Requests are still answered. */
  onRetire(end: (handover?: Handover) => unknown): void {
    this.#leavers.push(end);
  }

  /**
   * Stop accepting connections because other processes accept them, before the runtime is closed. If possible, each
   * connection moves to another process as soon as it is idle. Otherwise, existing connections get an answer to their next
   * request with `Connection: close`, and idle connections are left to their client, which closes them before
   * `http.keepAliveTimeout`: closing one here could lose a request under way, and load balancers don't retry a POST
   * (RFC 9110 §9.2.2). Resolves when no more requests can arrive and the runtime can be closed.
   */
  async retire(moves: Moves): Promise<void> {
    const keepAlive = this.#server.node.keepAliveTimeout || DEFAULT_KEEP_ALIVE_MS;
    this.#stopListening();
    const handover = new Handover(moves, this.drainLimit);
    this.#handover = handover;
    await Promise.race([this.#empty(handover, keepAlive), handover.ended, delay(keepAlive)]);
    handover.end();
  }

  /** Resolves when no connection is left, or when the rest has waited for a while for anything but a response. */
  async #empty(handover: Handover, keepAlive: number): Promise<void> {
    const { node, sockets } = this.#server;
    const canMove = await handover.isPossible();
    if (handover.isOver) return;
    if (!canMove) {
      this.#grace = RETIRE_GRACE_MS;
      this.#drainWith(keepAlive);
    }
    const left = this.#leavers.map((leave) => leave(canMove ? handover : undefined));
    const grace = canMove ? Math.min(RETIRE_GRACE_MS, this.drainLimit) : keepAlive;
    for (let movedAt = performance.now(); !handover.isOver; await delay(IDLE_CHECK_MS)) {
      if (canMove && (await handover.moveIdle(node, sockets))) movedAt = performance.now();
      const rest = [...sockets].filter(speaksHttp);
      if (rest.length === 0 || (performance.now() - movedAt > grace && !rest.some(isAnswering))) break;
    }
    await Promise.all(left);
  }

  /** Retire immediately, because this process is broken: clients must leave it quickly. */
  abandonConnections(): void {
    this.#stopListening();
    this.#grace = RETIRE_GRACE_MS;
    this.#drainWith(Math.min(this.#grace, this.drainLimit));
  }

  /**
   * Accept the connections that wait in the kernel's backlog, then no more, because closing resets waiting connections. Resolves
   * when that is done. `nextTurn` resolves when about one more connection has been accepted: by default after a turn of the event
   * loop; in a worker, where the primary accepts and passes on connections, after a message to the primary and back.
   */
  async stopAccepting(nextTurn = (): Promise<unknown> => new Promise(setImmediate)): Promise<void> {
    const { _handle: handle } = this.#server.node as { _handle?: ListeningHandle | null };
    const limit = Math.min(ACCEPT_LIMIT_MS, this.drainLimit);
    if (handle) this.#stopped ??= closeWhenEmpty(handle, () => this.#stopListening(), nextTurn, limit);
    await this.#stopped;
  }

  /** Nobody takes over anymore: end moves and waiting for clients. */
  hangUp(): void {
    this.#grace = GRACE_MS;
    this.#handover?.end();
    if (this.#drain) this.#drainWith(Math.min(this.#grace, this.drainLimit));
  }

  #stopListening(): void {
    // Node's own `close` would also close connections on which requests or responses may be under way.
    this.#ended ??= new Promise((resolve) =>
      NetServer.prototype.close.call(this.#server.node, () => resolve()),
    );
  }

  /** Close connections on which nothing arrives for `grace` milliseconds. */
  #drainWith(grace: number): void {
    if (this.#drain) return this.#drain.change(grace);
    const { node, sockets } = this.#server;
    const answer = this.#server.receive((raw, out) => drain.admit(raw, out));
    const drain = new Drain(sockets, answer, grace);
    node.on('connection', (socket: Socket) => drain.watch(socket));
    this.#drain = drain;
  }

  /** Accept no more connections, and let running requests finish. Cut them off after the limit. */
  async #close(): Promise<void> {
    // Otherwise, connections are in memory or belong to another server, and close with their requests.
    if (!httpTransportOf(this.#runtime)) return;
    await this.stopAccepting();
    this.#drainWith(Math.min(this.#grace, this.drainLimit));
    const limit = setTimeout(() => {
      if (this.#drain?.cut()) this.#runtime.cutOff = true;
    }, this.drainLimit);
    await this.#ended;
    clearTimeout(limit);
  }
}
