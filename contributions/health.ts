import { setTimeout } from 'node:timers/promises';
import { messageOf, type Runtime, slotKey } from '../kernel/index.js';

/** The result of a check. */
export interface HealthStatus {
  readonly ok: boolean;
  /** For operators: `no answer for 3 s`. */
  readonly detail?: string;
}

type Check = () => HealthStatus | Promise<HealthStatus>;

/** Seconds after which a check without a result counts as failed. */
const CHECK_TIMEOUT_S = 3;
const timeout = (signal: AbortSignal) =>
  setTimeout(CHECK_TIMEOUT_S * 1_000, TIMED_OUT, { ref: false, signal });
const TIMED_OUT: HealthStatus = { ok: false, detail: `no answer for ${CHECK_TIMEOUT_S} s` };

const HEALTH = slotKey<Health>('contributions.health');

/** The health checks of a running app. `make` lets tests watch which checks are added. */
export const healthOf = (runtime: Runtime, make: () => Health = () => new Health()): Health =>
  runtime.slot(HEALTH, make);

/** The health of the parts of a running app. */
export class Health {
  /** The newest check of a name counts. Older ones belong to ending versions, or return with a rollback. */
  readonly #checks = new Set<readonly [name: string, check: Check]>();

  /** Add a check; `name` begins with the plugin's. Returns a function to remove it when the version ends. */
  add(name: string, check: Check): () => void {
    const own = [name, check] as const;
    this.#checks.add(own);
    return () => void this.#checks.delete(own);
  }

  /** Run all checks at once. Never rejects: a check that throws, or takes three seconds, has failed. */
  async check(): Promise<Readonly<Record<string, HealthStatus>>> {
    const timer = new AbortController();
    const results = [...new Map(this.#checks)].map(async ([name, check]) => {
      const failed = (thrown: unknown): HealthStatus => ({ ok: false, detail: messageOf(thrown) });
      const asking = (async () => check())().catch(failed);
      return [name, await Promise.race([asking, timeout(timer.signal)])] as const;
    });
    return Object.fromEntries(await Promise.all(results).finally(() => timer.abort()));
  }
}
