import { coded, isThenable, messageOf } from '../../kernel/index.js';
import { type Json, notJson, type Receive } from '../contract.js';

export class Topics {
  readonly #receivers = new Map<string, Set<Receive>>();

  on(topic: string, receive: Receive<never>): () => void {
    const receivers = this.#receivers.get(topic) ?? new Set();
    this.#receivers.set(topic, receivers);
    // A new function, so that a receiver that subscribes twice is called twice. The type of the head is not checked.
    const own: Receive = (head, body) => receive(head as never, body);
    receivers.add(own);
    return () => {
      receivers.delete(own);
      if (receivers.size === 0 && this.#receivers.get(topic) === receivers) this.#receivers.delete(topic);
    };
  }

  deliver(topic: string, head: Json, body: string | Uint8Array): void {
    for (const receive of this.#receivers.get(topic) ?? [])
      try {
        const result: unknown = receive(head, body);
        if (isThenable(result)) Promise.resolve(result).catch((thrown) => report(topic, thrown));
      } catch (thrown) {
        report(topic, thrown);
      }
  }
}

/** A receiver that fails affects neither the other receivers nor the process nor the connection. */
function report(topic: string, thrown: unknown): void {
  console.error(`A receiver of "${topic}" messages failed: ${messageOf(thrown)}`);
}

/** Throws TypeError for a value that JSON cannot represent: it would be lost or changed on the way to other processes. */
export function checkHead(head: unknown): asserts head is Json {
  const wrong = notJson(head, 'the head');
  if (wrong !== undefined) throw coded('FWK410', `A message cannot be serialized as JSON: ${wrong}`);
}
