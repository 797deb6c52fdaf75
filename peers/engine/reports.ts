import { LRUCache } from 'lru-cache';
import type { HealthStatus } from '../../contributions/index.js';
import type { Logger, ProblemCode } from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';

import type { EngineSettings } from './connect.js';

/** Senders of which the last number is known: those that are heard of are kept. */
const MAX_SENDERS = 1_000;

/**
 * Counts the messages of one process. They are numbered by their sender, so that a receiver knows what comes twice and what is missing:
 * brokers promise neither.
 */
export class Traffic {
  /** Messages that left this process, and that came to it. */
  sent = 0;
  received = 0;
  /** That did not leave: the broker was away or slow, or they are longer than `maxMessage`. */
  unsent = 0;
  oversized = 0;
  /** Of other machines, that did not come. */
  missed = 0;
  /** That came again, or could not be read, and were dropped. */
  doubled = 0;
  broken = 0;
  #number = 0;
  /** The last number of each sender. */
  readonly #numbers = new LRUCache<string, number>({ max: MAX_SENDERS });

  /** The number of the last message that this process was to send. */
  get number(): number {
    return this.#number;
  }

  /** The number of the next one. */
  next(): number {
    this.#number += 1;
    return this.#number;
  }

  /** Whether message `number` of `sender` is new. What is missing before it counts as missed. */
  isNew(sender: string, number: number): boolean {
    const last = this.#numbers.get(sender);
    if (last !== undefined && number <= last) {
      this.doubled += 1;
      return false;
    }
    if (last !== undefined) this.missed += number - last - 1;
    this.#numbers.set(sender, number);
    return true;
  }

  /** `sender` says that `number` was its last message. */
  hear(sender: string, number: number): void {
    const last = this.#numbers.get(sender) ?? number;
    this.missed += Math.max(0, number - last);
    this.#numbers.set(sender, Math.max(number, last));
  }
}

export interface OutageOptions {
  /** Of what is away, for people: `redis`. */
  readonly what: string;
  /** What happens until it is back: completes "redis is away (no answer within 1000 ms): ". */
  readonly meanwhile: string;
  /** Asked for each line. */
  readonly logger: () => Logger;
}

/** The times in which a broker does not answer. One line says that it is away, and one that it is back. */
export class Outage {
  readonly #what: string;
  readonly #meanwhile: string;
  readonly #logger: () => Logger;
  /** Since when, by `performance.now()`. */
  #begun: { readonly at: number; readonly reason: string } | undefined;

  constructor({ what, meanwhile, logger }: OutageOptions) {
    this.#what = what;
    this.#meanwhile = meanwhile;
    this.#logger = logger;
  }

  /** Why it is away; undefined where it is not. */
  get reason(): string | undefined {
    return this.#begun?.reason;
  }

  /** It does not answer, or its connection has ended. Said once, until it is back. */
  begin(reason: string): void {
    if (this.#begun) return;
    this.#begun = { at: performance.now(), reason };
    logSafely(this.#logger(), 'warn', `${this.#what} is away (${reason}): ${this.#meanwhile}.`);
  }

  /** It answers. `lost` is asked for a sentence that says what was lost; an empty one where nothing was. */
  end(lost: () => string): void {
    if (!this.#begun) return;
    const seconds = ((performance.now() - this.#begun.at) / 1000).toFixed(1);
    this.#begun = undefined;
    const more = lost();
    logSafely(
      this.#logger(),
      'info',
      `${this.#what} is back after ${seconds} s.${more === '' ? '' : ` ${more}`}`,
    );
  }
}

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
