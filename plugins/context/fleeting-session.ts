import type { Session } from './session.js';
import { storableText } from './storable.js';

/** A session that ends with its scope: nothing of it is ever stored. */
export class FleetingSession implements Session {
  readonly #values = new Map<string, unknown>();

  value(key: string, make: () => unknown): unknown {
    // Always a copy: the value of a factory may be shared.
    if (!this.#values.has(key)) this.#values.set(key, JSON.parse(storableText(make(), `ctx.${key}`)));
    return this.#values.get(key);
  }

  assign(key: string, value: unknown): void {
    storableText(value, `ctx.${key}`);
    this.#values.set(key, value);
  }

  renew(): void {}

  end(): void {
    this.#values.clear();
  }

  async close(): Promise<void> {}
}
