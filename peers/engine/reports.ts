import { type HealthStatus, type Logger, logSafely, type ProblemCode } from '../../kernel/index.js';

import type { EngineSettings } from './options.js';
import { Outage } from './outage.js';
import type { Traffic } from './traffic.js';

/** How often it is said that messages are too long, at most, in milliseconds. */
const OVERSIZED_INTERVAL_MS = 60_000;

type Loss = 'unsent' | 'missed' | 'oversized';

/** What operators are told about, and where. */
export interface ReportsOptions {
  /** The broker's name, as operators know it: that of the plugin. */
  readonly broker: string;
  /** What is counted of its messages. */
  readonly traffic: Traffic;
  /** Asked for each line. */
  readonly logger: () => Logger;
}

/** Tells operators when a broker goes and when it is back, and what was lost. Nothing is said twice. */
export class Reports {
  readonly #broker: string;
  readonly #traffic: Traffic;
  readonly #logger: () => Logger;
  readonly #outage: Outage;
  readonly #told: Record<Loss, number> = { unsent: 0, missed: 0, oversized: 0 };
  #oversizedAt = Number.NEGATIVE_INFINITY;

  constructor({ broker, traffic, logger }: ReportsOptions) {
    this.#broker = broker;
    this.#traffic = traffic;
    this.#logger = logger;
    const meanwhile = 'rooms go on within this machine, and what needs memory or locks in common gets 503';
    this.#outage = new Outage({ what: broker, meanwhile, logger });
  }

  /** The broker does not answer, or its connection has ended. Said once, until it is back. */
  away(reason: string): void {
    this.#outage.begin(reason);
  }

  /** It answers. */
  back(): void {
    this.#outage.end(() => `${messages(this.#news('unsent'))} did not leave this process.`);
  }

  /** Say what nobody would notice otherwise. To be called with each heartbeat. */
  losses({ maxMessage }: Pick<EngineSettings, 'maxMessage'>): void {
    const missed = this.#news('missed');
    if (missed > 0) this.#warn(`${messages(missed)} of other machines did not arrive`);
    const now = performance.now();
    if (now - this.#oversizedAt >= OVERSIZED_INTERVAL_MS) {
      const oversized = this.#news('oversized');
      if (oversized > 0) {
        this.#oversizedAt = now;
        const limit = `${this.#broker}.maxMessage (${maxMessage} bytes)`;
        this.#warn(`${messages(oversized)} longer than ${limit} did not leave this process`, 'FWK502');
      }
    }
    // While it is away that is said when it is back.
    const unsent = this.#outage.reason !== undefined ? 0 : this.#news('unsent');
    if (unsent > 0)
      this.#warn(`${messages(unsent)} did not leave this process, which sends faster than it is taken`);
  }

  /** For `runtime.health`. An app whose broker is away is well: what is within this machine goes on, and no other would do better. */
  status(): HealthStatus {
    const { sent, unsent, oversized, received, missed, doubled, broken } = this.#traffic;
    const { reason } = this.#outage;
    const state = reason === undefined ? 'connected' : `away (${reason})`;
    const came = `${received} received, ${missed} did not arrive, ${doubled} doubled, ${broken} broken`;
    return { ok: true, detail: `${state}; ${sent} sent, ${unsent + oversized} did not leave; ${came}` };
  }

  #warn(what: string, code?: ProblemCode): void {
    const text = `${this.#broker}: ${what}.`;
    logSafely(this.#logger(), 'warn', code === undefined ? text : { code, text });
  }

  #news(loss: Loss): number {
    const count = this.#traffic[loss] - this.#told[loss];
    this.#told[loss] = this.#traffic[loss];
    return count;
  }
}

const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`);
