import type { RequestListener, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Runtime } from '../../../kernel/index.js';
import { acceptWaiting } from './backlog.js';
import { Drain, GRACE_MS } from './drain.js';
import { httpTransportOf } from './transport.js';

/** Milliseconds for which a shutdown waits, unless the config says otherwise. */
export const DRAIN_LIMIT_MS = 10_000;
/**
 * Milliseconds that a kept connection waits for a next request where other processes serve on. A balancer that has work sends
 * some before; one that has not need not have its connections for longer.
 */
const RETIRE_GRACE_MS = 5_000;

/** The parts of a server that end. */
export interface Ending {
  readonly node: Server;
  readonly sockets: ReadonlySet<Socket>;
  /** Answers what comes until the end. */
  readonly entry: RequestListener;
  /** Have another listener answer. */
  receive(listener: RequestListener): void;
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

  constructor(server: Ending, runtime: Runtime) {
    this.#server = server;
    this.#runtime = runtime;
    runtime.onClose(() => this.#close());
  }

  /** Whether the end is announced: nobody will serve when it has come. */
  get isAnnounced(): boolean {
    return this.#announced !== undefined;
  }

  /** Be not ready from now on, and serve on for `drainDelay`, in which those who ask for that send requests elsewhere. */
  announce(): Promise<void> {
    this.#announced ??= this.drainDelay > 0 ? delay(this.drainDelay) : Promise.resolve();
    return this.#announced;
  }

  /**
   * Accept nothing more, since other processes do, before the runtime is closed. Connections that are there have their
   * next request answered here, with `Connection: close`: no client notices.
   */
  retire(): void {
    this.#stopListening();
    this.#begin(RETIRE_GRACE_MS);
  }

  /**
   * Accept what waits in the kernel's backlog, then nothing more: closing resets what still waits there. Resolves when that is
   * done. `nextTurn` resolves when about one more connection has been accepted: by default after a turn of this process's
   * event loop; in a worker, where the primary accepts connections and hands them over, after a message to the primary and back.
   */
  stopAccepting(nextTurn = (): Promise<unknown> => new Promise(setImmediate)): Promise<void> {
    this.#stopped ??= acceptWaiting(this.#server.node, nextTurn, this.#ended ? 0 : GRACE_MS).then(() =>
      this.#stopListening(),
    );
    return this.#stopped;
  }

  /** Wait no longer for next requests on connections that are kept: no other process answers them. */
  hangUp(): void {
    this.#drain?.shorten(Math.min(GRACE_MS, this.drainLimit));
  }

  #stopListening(): void {
    // Node's own server would close connections on which requests or responses may be under way.
    this.#ended ??= new Promise((resolve) =>
      NetServer.prototype.close.call(this.#server.node, () => resolve()),
    );
  }

  #begin(grace: number): Drain {
    const { node, sockets, entry } = this.#server;
    const drain = new Drain(sockets, entry, Math.min(grace, this.drainLimit));
    node.on('connection', (socket: Socket) => drain.watch(socket));
    this.#server.receive((raw, out) => drain.admit(raw, out));
    this.#drain = drain;
    return drain;
  }

  /** Accept nothing more and let running requests finish; past the limit, cut them off. */
  async #close(): Promise<void> {
    // Otherwise its connections are in memory or another server's, and end with their requests.
    if (!httpTransportOf(this.#runtime)) return;
    await this.stopAccepting();
    const drain = this.#drain ?? this.#begin(GRACE_MS);
    const limit = setTimeout(() => {
      if (drain.cut()) this.#runtime.cutOff = true;
    }, this.drainLimit);
    await this.#ended;
    clearTimeout(limit);
  }
}
