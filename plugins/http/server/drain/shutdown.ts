import type { RequestListener, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Runtime } from '../../../../kernel/index.js';
import { DRAIN_LIMIT_MS } from '../../options.js';
import { httpTransportOf } from '../transport.js';
import { closeWhenEmpty, listeningSocketOf } from './backlog.js';
import { Drain, type Patience } from './drain.js';

/**
 * Milliseconds that a kept connection waits for a next request while the server ends, or for the rest of a head. A client
 * that is busy has sent one long before, and learns from the response to open another connection.
 */
const GRACE_MS = 500;
/** The same where other processes serve on: for the first request of a connection, or the rest of a head. */
const RETIRE_GRACE_MS = 5_000;
/** Milliseconds for which a retiring process has kept connections where `http.keepAliveTimeout` is 0, which is for ever. */
const KEPT_MS = 72_000;

/** Milliseconds at most for which connections that the system has accepted are taken, however busy the machine is. */
const ACCEPT_LIMIT_MS = 2_000;
/** Milliseconds between two looks whether connections are idle still. */
const QUIET_CHECK_MS = 100;

export interface Ending {
  readonly node: Server;
  readonly sockets: ReadonlySet<Socket>;
  /** Have another listener answer. Returns the one that has answered before. */
  receive(listener: RequestListener): RequestListener;
}

/** The end of a server: what comes until then is answered, and no client loses a request that was accepted. */
export class Shutdown {
  /** Milliseconds for which closing waits for requests; an edit of the config may change it. */
  drainLimit = DRAIN_LIMIT_MS;
  /** Milliseconds between `announce` and the first connection that is not accepted. */
  drainDelay = 0;
  readonly #server: Ending;
  readonly #runtime: Runtime;
  #announced: Promise<void> | undefined;
  /** Resolves when all connections have ended; undefined while new ones are accepted. */
  #ended: Promise<void> | undefined;
  /** Resolves when none is accepted any more. */
  #stopped: Promise<void> | undefined;
  #drain: Drain | undefined;
  /** How long connections are waited for once the runtime is closed, where others take over. */
  #last: Patience | undefined;
  readonly #leavers: (() => void)[] = [];

  constructor(server: Ending, runtime: Runtime) {
    this.#server = server;
    this.#runtime = runtime;
    runtime.onClose(() => this.#close());
  }

  /** Whether the end is announced: nobody will serve when it has come. */
  get isAnnounced(): boolean {
    return this.#announced !== undefined;
  }

  /**
   * Be not ready from now on, and serve on for `drainDelay`, in which those who ask for that send requests elsewhere. Responses
   * say `Connection: close` already, so that what is in use is not what is closed when the time is over.
   */
  announce(): Promise<void> {
    if (!this.#announced && this.drainDelay > 0 && !this.#drain)
      this.#drainWith({ idle: Number.POSITIVE_INFINITY, begun: Number.POSITIVE_INFINITY });
    this.#announced ??= this.drainDelay > 0 ? delay(this.drainDelay) : Promise.resolve();
    return this.#announced;
  }

  /** Run `end` when this process retires, to end what would not end by itself. Requests come nevertheless, and are answered. */
  onRetire(end: () => void): void {
    this.#leavers.push(end);
  }

  /**
   * Accept nothing more, since other processes do, before the runtime is closed. Connections that are there have their
   * next request answered here, with `Connection: close`. One that is idle is closed by its client, which does so earlier than
   * `http.keepAliveTimeout`: were it closed here, a request that is on its way would be lost, and a balancer does not send a
   * POST again (RFC 9110 §9.2.2). Resolves when no more requests can come: then the runtime can be closed.
   */
  async retire(): Promise<void> {
    const kept = this.#server.node.keepAliveTimeout || KEPT_MS;
    this.#stopListening();
    this.#last = this.#retirePatience();
    this.#drainWith({ ...this.#last, idle: kept });
    for (const end of this.#leavers) end();
    const until = performance.now() + kept;
    while (!this.#drain?.isQuiet && performance.now() < until) await delay(QUIET_CHECK_MS);
  }

  /** The same at once, since this process is broken: those who are connected do not have it for long. */
  desert(): void {
    this.#stopListening();
    this.#last = this.#retirePatience();
    this.#drainWith(this.#last);
  }

  /**
   * Accept what waits in the kernel's backlog, then nothing more: closing resets what still waits there. Resolves when that is
   * done. `nextTurn` resolves when about one more connection has been accepted: by default after a turn of this process's
   * event loop; in a worker, where the primary accepts connections and hands them over, after a message to the primary and back.
   */
  stopAccepting(nextTurn = (): Promise<unknown> => new Promise(setImmediate)): Promise<void> {
    const limit = this.#ended ? 0 : Math.min(ACCEPT_LIMIT_MS, this.drainLimit);
    const socket = listeningSocketOf(this.#server.node, () => this.#stopListening());
    this.#stopped ??= closeWhenEmpty(socket, nextTurn, limit);
    return this.#stopped;
  }

  hangUp(): void {
    this.#last = undefined;
    this.#drain?.change(this.#short());
  }

  #stopListening(): void {
    // Node's own server would close connections on which requests or responses may be under way.
    this.#ended ??= new Promise((resolve) =>
      NetServer.prototype.close.call(this.#server.node, () => resolve()),
    );
  }

  #retirePatience(): Patience {
    const grace = Math.min(RETIRE_GRACE_MS, this.drainLimit);
    return { idle: grace, begun: grace };
  }

  #short(): Patience {
    const grace = Math.min(GRACE_MS, this.drainLimit);
    return { idle: grace, begun: grace };
  }

  #drainWith(patience: Patience): void {
    if (this.#drain) return this.#drain.change(patience);
    const { node, sockets } = this.#server;
    const answer = this.#server.receive((raw, out) => drain.admit(raw, out));
    const drain = new Drain(sockets, answer, patience);
    node.on('connection', (socket: Socket) => drain.watch(socket));
    this.#drain = drain;
  }

  /** Accept nothing more and let running requests finish; past the limit, cut them off. */
  async #close(): Promise<void> {
    // Otherwise its connections are in memory or another server's, and end with their requests.
    if (!httpTransportOf(this.#runtime)) return;
    await this.stopAccepting();
    this.#drainWith(this.#last ?? this.#short());
    const limit = setTimeout(() => {
      if (this.#drain?.cut()) this.#runtime.cutOff = true;
    }, this.drainLimit);
    await this.#ended;
    clearTimeout(limit);
  }
}
