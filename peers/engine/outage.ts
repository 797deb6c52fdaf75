import { type Logger, logSafely } from '../../kernel/index.js';

/** What is said of an outage. */
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
