import type { Peers } from '../../kernel/index.js';
import type { Offering } from './calls/call-context.js';
import type { ServerInfo } from './server-info.js';
import { changedLists, type List } from './table/table.js';

/** A receiver of changes: one connection, or all clients of the stateless protocol. */
export interface Subscriber {
  listChanged(list: List): void;
  resourceChanged(uri: string): void;
}

/** Holds what outlives the versions of a project: the clients that are connected, and the version that answers them. */
export class Hub {
  readonly #subscribers = new Set<Subscriber>();
  readonly #stopping = new AbortController();
  #offering: Offering | undefined;
  #peers: Peers | undefined;

  constructor(
    readonly info: ServerInfo,
    /** Signs what stateless clients carry between rounds; at least 32 bytes. */
    readonly key: Uint8Array | string,
  ) {}

  get offering(): Offering {
    if (!this.#offering) throw new Error('MCP is served before the project is');
    return this.#offering;
  }

  /** Aborts when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Stop waiting for clients. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Have `next` answer from now on, and notify the clients of the lists that differ. */
  serve(next: Offering): void {
    const before = this.#offering;
    this.#offering = next;
    if (!before) return;
    for (const list of changedLists(before.table, next.table))
      for (const subscriber of this.#subscribers) subscriber.listChanged(list);
  }

  /** Returns a function that ends the subscription. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /** Notify clients of other processes too, and those of this one of what changes there. */
  connect(peers: Peers): void {
    peers.on('mcp.changed', (uri) => void (typeof uri === 'string' && this.#notify(uri)));
    this.#peers = peers;
  }

  resourceChanged(uri: string): void {
    this.#notify(uri);
    this.#peers?.send('mcp.changed', uri);
  }

  #notify(uri: string): void {
    for (const subscriber of this.#subscribers) subscriber.resourceChanged(uri);
  }
}
