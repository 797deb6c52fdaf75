import { Outage } from 'fwkit/peers';
import { type Logger, messageOf, Unavailable } from 'fwkit/plugin';

/** Whether the broker answers. */
export class Availability {
  /** Where its lines go: to the version that serves. */
  logger: Logger;
  readonly #outage: Outage;
  #refused = 0;

  constructor(logger: Logger) {
    this.logger = logger;
    this.#outage = new Outage({
      what: 'queues: the broker',
      meanwhile: 'jobs wait there until it is back',
      logger: () => this.logger,
    });
  }

  get isAway(): boolean {
    return this.#outage.reason !== undefined;
  }

  /** It does not answer. `why` is what a client says of it, or a sentence. */
  lost(why: unknown): void {
    this.#outage.begin(reasonOf(why));
  }

  /** It answers. */
  back(): void {
    this.#outage.end(() => {
      const refused = this.#refused;
      this.#refused = 0;
      return refused === 0 ? '' : `${refused === 1 ? '1 job' : `${refused} jobs`} could not be added.`;
    });
  }

  /** What is thrown for a job that is not added. */
  refuse(queue: string, why: string, cause?: unknown): Unavailable {
    this.#refused += 1;
    return new Unavailable(`A job for the queue "${queue}" could not be added: ${why}`, { cause });
  }
}

/** What a client says: some of their errors have no message of their own, but a code. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return reasonOf(thrown.errors[0]);
  const { code } = thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : {};
  const message = thrown instanceof Error && thrown.message === '' ? '' : messageOf(thrown);
  if (code === undefined || message.includes(code)) return message || 'no reason was given';
  return message === '' ? code : `${message} (${code})`;
}
