import { messageOf } from './errors.js';

/** The result of a check. */
export interface HealthStatus {
  readonly ok: boolean;
  /** For operators: `no answer for 3 s`. */
  readonly detail?: string;
}

/** The health of the parts of a running app. */
export class Health {
  readonly #checks = new Map<string, () => HealthStatus | Promise<HealthStatus>>();

  /** Have `check` asked under `name`, which begins with the plugin's. Returns a function that takes it away again. */
  add(name: string, check: () => HealthStatus | Promise<HealthStatus>): () => void {
    this.#checks.set(name, check);
    return () => {
      if (this.#checks.get(name) === check) this.#checks.delete(name);
    };
  }

  /** Ask all at once. Never rejects: a check that throws is not ok, and its message is the detail. */
  async check(): Promise<Readonly<Record<string, HealthStatus>>> {
    const asked = [...this.#checks].map(async ([name, check]) => {
      try {
        return [name, await check()] as const;
      } catch (thrown) {
        return [name, { ok: false, detail: messageOf(thrown) }] as const;
      }
    });
    return Object.fromEntries(await Promise.all(asked));
  }
}
