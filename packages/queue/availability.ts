import { type Logger, messageOf, Unavailable } from 'fwkit/plugin';

/** Whether the broker answers. One line says that it does not, and one that it does again. */
export class Availability {
  /** Where its lines go: to the version that serves. */
  logger: Logger;
  /** By `performance.now()`. */
  #awaySince: number | undefined;
  #refused = 0;

  constructor(logger: Logger) {
    this.logger = logger;
  }

  get isAway(): boolean {
    return this.#awaySince !== undefined;
  }

  /** It does not answer. `why` is what a client says of it, or a sentence. */
  lost(why: unknown): void {
    if (this.isAway) return;
    this.#awaySince = performance.now();
    this.logger.warn(`queues: the broker is away (${reasonOf(why)}). Jobs wait there until it is back.`);
  }

  /** It answers. */
  back(): void {
    if (this.#awaySince === undefined) return;
    const seconds = ((performance.now() - this.#awaySince) / 1_000).toFixed(1);
    const refused = this.#refused === 0 ? '' : ` ${this.#refused} jobs could not be added.`;
    this.#awaySince = undefined;
    this.#refused = 0;
    this.logger.warn(`queues: the broker is back after ${seconds} s.${refused}`);
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
