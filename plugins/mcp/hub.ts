import type { Peers } from '../../kernel/index.js';
import type { Surface } from './calls/exchange.js';
import type { ServerFacts } from './server-info.js';
import { changedLists, type List } from './table/table.js';

/** Somebody who wants to hear of changes: one connection, or all clients of the stateless protocol. */
export interface Hearer {
  listChanged(list: List): void;
  resourceChanged(uri: string): void;
}

/** What outlives the generations of a project: who is connected, and which generation answers them now. */
export class Hub {
  readonly #hearers = new Set<Hearer>();
  readonly #stopping = new AbortController();
  #surface: Surface | undefined;
  #peers: Peers | undefined;

  constructor(
    readonly facts: ServerFacts,
    /** Signs what stateless clients carry between rounds; at least 32 bytes. */
    readonly key: Uint8Array | string,
  ) {}

  get surface(): Surface {
    if (!this.#surface) throw new Error('MCP is served before the project is');
    return this.#surface;
  }

  /** Aborts when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Wait for clients no longer. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Have `next` answer from now on, and tell who is connected what differs. */
  take(next: Surface): void {
    const before = this.#surface;
    this.#surface = next;
    if (!before) return;
    for (const list of changedLists(before.table, next.table))
      for (const hearer of this.#hearers) hearer.listChanged(list);
  }

  /** Returns what ends it. */
  hear(hearer: Hearer): () => void {
    this.#hearers.add(hearer);
    return () => void this.#hearers.delete(hearer);
  }

  /** Tell clients of other processes too, and hear what changes there. */
  join(peers: Peers): void {
    peers.on('mcp.changed', (uri) => void (typeof uri === 'string' && this.#tell(uri)));
    this.#peers = peers;
  }

  resourceChanged(uri: string): void {
    this.#tell(uri);
    this.#peers?.send('mcp.changed', uri);
  }

  #tell(uri: string): void {
    for (const hearer of this.#hearers) hearer.resourceChanged(uri);
  }
}
