import type { Peers, SharedMemory } from '../../kernel/index.js';
import { type Asked, isToWorker, type ToPrimary } from './messages.js';

/** The other processes, as a worker sees them: all that it sends goes through the primary. */
export class WorkerPeers implements Peers {
  readonly #listeners = new Map<string, Set<(message: unknown) => void>>();
  readonly #calls = new Map<number, (text: string | undefined) => void>();
  #call = 0;

  constructor(
    readonly id: number,
    readonly count: number,
    readonly secret: string,
  ) {
    process.on('message', (message) => this.#receive(message));
  }

  send(topic: string, message: unknown): void {
    sendToPrimary({ fwkit: 'sent', topic, message });
  }

  on(topic: string, receive: (message: unknown) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(receive));
    return () => void listeners.delete(receive);
  }

  memory(name: string): SharedMemory {
    return {
      get: (key) => this.#ask({ act: 'get', name, key }).answer,
      set: async (key, text, maxAge) =>
        void (await this.#ask({ act: 'set', name, key, text, maxAge }).answer),
      delete: async (key) => void (await this.#ask({ act: 'delete', name, key }).answer),
    };
  }

  async lock<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { call, answer } = this.#ask({ act: 'lock', name });
    await answer;
    try {
      return await work();
    } finally {
      sendToPrimary({ fwkit: 'released', name, call });
    }
  }

  #ask(asked: Omit<Asked, 'fwkit' | 'call'>) {
    this.#call += 1;
    const call = this.#call;
    const answer = new Promise<string | undefined>((resolve) => this.#calls.set(call, resolve));
    sendToPrimary({ fwkit: 'asked', call, ...asked });
    return { call, answer };
  }

  #receive(message: unknown): void {
    if (!isToWorker(message)) return;
    if (message.fwkit === 'sent')
      for (const receive of this.#listeners.get(message.topic) ?? []) receive(message.message);
    if (message.fwkit !== 'answer') return;
    this.#calls.get(message.call)?.(message.text);
    this.#calls.delete(message.call);
  }
}

/** Send to the primary, in order; `written` is called when it is on its way. Throws for what cannot be cloned. */
export function sendToPrimary(message: ToPrimary, written: () => void = () => {}): void {
  // Where the primary is gone, Node ends this process.
  process.send?.(message, undefined, undefined, written);
}
