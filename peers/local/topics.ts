import { coded, isThenable, messageOf } from '../../kernel/index.js';
import { type Json, notJson, type Receive } from '../contract.js';

/** The subscribers of each topic in one process. */
export class Topics {
  readonly #receivers = new Map<string, Set<Receive>>();

  on(topic: string, receive: Receive<never>): () => void {
    const receivers = this.#receivers.get(topic) ?? new Set();
    this.#receivers.set(topic, receivers);
    // One that listens twice is called twice. What its head is, those know that send.
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

/** One that fails keeps no other from hearing, and ends neither the process nor the connection that a message came by. */
function report(topic: string, thrown: unknown): void {
  console.error(`A receiver of "${topic}" from other processes failed: ${messageOf(thrown)}`);
}

/** Throws TypeError for a value that JSON cannot represent: it would be lost or changed on its way to other processes. */
export function checkHead(head: unknown): asserts head is Json {
  const wrong = notJson(head, 'the head');
  if (wrong !== undefined) throw coded('FWK410', `A message takes what JSON has, and ${wrong}`);
}
