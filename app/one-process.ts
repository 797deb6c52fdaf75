import { randomBytes } from 'node:crypto';
import type { Peers, SharedMemory } from '../kernel/index.js';
import { Locks } from './locks.js';
import { Memory } from './memory.js';

/** The processes that serve an app, where this is the only one. */
export class OneProcess implements Peers {
  readonly id = 1;
  readonly count = 1;
  readonly #locks = new Locks();
  readonly #memories = new Map<string, SharedMemory>();
  #secret: string | undefined;

  get secret(): string {
    this.#secret ??= randomBytes(32).toString('hex');
    return this.#secret;
  }

  send(): void {}

  on(): () => void {
    return () => {};
  }

  memory(name: string): SharedMemory {
    const known = this.#memories.get(name);
    if (known) return known;
    const memory = new Memory();
    const shared: SharedMemory = {
      get: async (key) => memory.get(key),
      set: async (key, text, maxAge) => memory.set(key, text, maxAge),
      delete: async (key) => memory.delete(key),
    };
    this.#memories.set(name, shared);
    return shared;
  }

  lock<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#locks.take(name, work);
  }
}
