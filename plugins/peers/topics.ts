import type { Json, Receive } from '../../kernel/index.js';

/** Who listens for what, in one process. */
export class Topics {
  readonly #receivers = new Map<string, Set<Receive>>();

  /** Returns a function that ends it. */
  on(topic: string, receive: Receive): () => void {
    const receivers = this.#receivers.get(topic) ?? new Set();
    this.#receivers.set(topic, receivers);
    // One that listens twice is called twice.
    const own: Receive = (head, body) => receive(head, body);
    receivers.add(own);
    return () => {
      receivers.delete(own);
      if (receivers.size === 0 && this.#receivers.get(topic) === receivers) this.#receivers.delete(topic);
    };
  }

  deliver(topic: string, head: Json, body: string | Uint8Array): void {
    for (const receive of this.#receivers.get(topic) ?? []) receive(head, body);
  }
}
