import { LRUCache } from 'lru-cache';
import type { HealthStatus } from '../../contributions/index.js';
import type { Logger, ProblemCode } from '../../kernel/index.js';
import { logSafely } from '../../scope/index.js';

import type { EngineSettings } from './connect.js';

/** The last message number is remembered for this many senders. The least recently heard senders are evicted. */
const MAX_SENDERS = 1_000;

/** Counts and numbers the messages of one process, so that receivers detect duplicates and gaps: brokers guarantee neither. */
export class Traffic {
  /** Messages that this process has sent and received. */
  sent = 0;
  received = 0;
  /** Messages that were not sent because the broker was unavailable or slow, or because they are longer than `maxMessage`. */
  unsent = 0;
  oversized = 0;
  /** Messages of other machines that did not arrive. */
  missed = 0;
  /** Received messages that were dropped because they are duplicates or cannot be parsed. */
  doubled = 0;
  broken = 0;
  /** The number of the last message, sent or not. */
  number = 0;
  readonly #numbers = new LRUCache<string, number>({ max: MAX_SENDERS });

  /** Returns the number of the next message. */
  next(): number {
    this.number += 1;
    return this.number;
  }

  /** Whether message `number` of `sender` is new. Messages missing before it count as missed. */
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

  /** Handle a heartbeat of `sender`, whose last message is `number`. */
  hear(sender: string, number: number): void {
    const last = this.#numbers.get(sender) ?? number;
    this.missed += Math.max(0, number - last);
    this.#numbers.set(sender, Math.max(number, last));
  }
}

export interface OutageOptions {
  /** The name of the broker in messages, such as `redis`. */
  readonly what: string;
  /** The effect of the outage; completes "redis is unavailable (no answer within 1000 ms): ". */
  readonly meanwhile: string;
  /** Called for each log line. */
  readonly logger: () => Logger;
}

/** Logs one line when a broker becomes unavailable, and one when it is available again. */
export class Outage {
  /** The current outage; `at` is a time of `performance.now()`. */
  #begun: { readonly at: number; readonly reason: string } | undefined;

  constructor(private readonly options: OutageOptions) {}

  /** Why the broker is unavailable; undefined if it is available. */
  get reason(): string | undefined {
    return this.#begun?.reason;
  }

  /** The broker does not answer, or its connection has ended. Logged once per outage. */
  begin(reason: string): void {
    if (this.#begun) return;
    this.#begun = { at: performance.now(), reason };
    const { what, meanwhile, logger } = this.options;
    logSafely(logger(), 'warn', `${what} is unavailable (${reason}): ${meanwhile}.`);
  }

  /** The broker answers. `lost` returns a sentence about lost messages, or an empty string. */
  end(lost: () => string): void {
    if (!this.#begun) return;
    const seconds = ((performance.now() - this.#begun.at) / 1000).toFixed(1);
    this.#begun = undefined;
    const more = lost();
    const text = `${this.options.what} is available again after ${seconds} s.${more && ` ${more}`}`;
    logSafely(this.options.logger(), 'info', text);
  }
}

const OVERSIZED_INTERVAL_MS = 60_000;

type MessageLoss = 'unsent' | 'missed' | 'oversized';

export interface ReportsOptions {
  /** The name of the broker in messages, which is the name of the plugin. */
  readonly broker: string;
  /** The message counters. */
  readonly traffic: Traffic;
  /** Called for each log line. */
  readonly logger: () => Logger;
}

/** Logs outages of a broker and lost messages, each loss once. */
export class Reports {
  readonly #outage: Outage;
  readonly #reported: Record<MessageLoss, number> = { unsent: 0, missed: 0, oversized: 0 };
  #oversizedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ReportsOptions) {
    const { broker: what, logger } = options;
    const meanwhile =
      'rooms work within this machine only, and requests that need shared memory or locks get 503';
    this.#outage = new Outage({ what, meanwhile, logger });
  }

  /** The broker does not answer, or its connection has ended. Logged once per outage. */
  away(reason: string): void {
    this.#outage.begin(reason);
  }

  /** The broker answers again. */
  back(): void {
    this.#outage.end(() => `${messages(this.#unreported('unsent'))} could not be sent.`);
  }

  /** Warn about messages lost outside of an outage. Call it with each heartbeat. */
  losses({ maxMessage }: Pick<EngineSettings, 'maxMessage'>): void {
    const missed = this.#unreported('missed');
    if (missed > 0) this.#warn(`${messages(missed)} from other machines did not arrive`);
    const now = performance.now();
    if (now - this.#oversizedAt >= OVERSIZED_INTERVAL_MS) {
      const oversized = this.#unreported('oversized');
      if (oversized > 0) {
        this.#oversizedAt = now;
        const limit = `${this.options.broker}.maxMessage (${maxMessage} bytes)`;
        this.#warn(`${messages(oversized)} longer than ${limit} could not be sent`, 'FWK502');
      }
    }
    // During an outage, back() reports them.
    const unsent = this.#outage.reason !== undefined ? 0 : this.#unreported('unsent');
    if (unsent > 0)
      this.#warn(
        `${messages(unsent)} could not be sent, because this process sends faster than the broker accepts`,
      );
  }

  /** The status for `runtime.health`. It stays ok during an outage: the app still serves, and restarting it would not help. */
  status(): HealthStatus {
    const { sent, unsent, oversized, received, missed, doubled, broken } = this.options.traffic;
    const { reason } = this.#outage;
    const state = reason === undefined ? 'connected' : `unavailable (${reason})`;
    const incoming = `${received} received, ${missed} missed, ${doubled} duplicate, ${broken} malformed`;
    return { ok: true, detail: `${state}; ${sent} sent, ${unsent + oversized} dropped; ${incoming}` };
  }

  #warn(what: string, code?: ProblemCode): void {
    const text = `${this.options.broker}: ${what}.`;
    logSafely(this.options.logger(), 'warn', code === undefined ? text : { code, text });
  }

  #unreported(loss: MessageLoss): number {
    const { traffic } = this.options;
    const count = traffic[loss] - this.#reported[loss];
    this.#reported[loss] = traffic[loss];
    return count;
  }
}

const messages = (count: number): string => (count === 1 ? '1 message' : `${count} messages`);
