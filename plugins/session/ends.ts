import { createHash } from 'node:crypto';
import { isObject, type Peers } from '../../kernel/index.js';
import type { SessionEnd } from '../context/index.js';

type Listener = (how: SessionEnd) => void;

const TOPIC = 'session.ended';

/** How many of the last ends are known: one may come while a socket or a stream of that session is being opened. */
const MAX_RECENT = 1_000;

/** Tells those that outlive a request when its session has ended, in any process. Outlives versions. */
export class SessionEnds {
  readonly #listening = new Map<string, Set<Listener>>();
  /** Those that came first are forgotten first. */
  readonly #recent = new Map<string, SessionEnd>();
  readonly #peers: Peers;

  constructor(peers: Peers) {
    this.#peers = peers;
    if (peers.span === 'process') return;
    peers.on(TOPIC, (head) => {
      if (!isObject(head)) return;
      const { name, how } = head as { readonly name?: unknown; readonly how?: unknown };
      if (typeof name === 'string' && (how === 'ended' || how === 'renewed')) this.#hear(name, how);
    });
  }

  /** Call `listener` when the session of that id ends, or at once where it just has. Returns a function that ends it. */
  on(id: string, listener: Listener): () => void {
    const name = nameOf(id);
    const recent = this.#recent.get(name);
    if (recent) {
      listener(recent);
      return () => {};
    }
    const listeners = this.#listening.get(name) ?? new Set();
    this.#listening.set(name, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listening.delete(name);
    };
  }

  /** The session of that id has ended. */
  tell(id: string, how: SessionEnd): void {
    const name = nameOf(id);
    this.#hear(name, how);
    if (this.#peers.span !== 'process') this.#peers.send(TOPIC, { name, how });
  }

  #hear(name: string, how: SessionEnd): void {
    this.#recent.set(name, how);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest);
    const listeners = this.#listening.get(name) ?? [];
    this.#listening.delete(name);
    for (const listener of listeners) listener(how);
  }
}

/** An id is a secret of its visitor, and messages may pass through a broker. */
const nameOf = (id: string): string => createHash('sha256').update(id).digest('base64url');
