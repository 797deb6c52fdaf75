import { type Health, type Logger, logSafely } from '../../kernel/index.js';

/** Whether all parts of an app are well. Asked when somebody wants to know; who asks meanwhile gets the same answer. */
export class Readiness {
  readonly #health: Pick<Health, 'check'>;
  readonly #logger: Logger;
  #running: Promise<readonly string[]> | undefined;
  /** What was reported last. */
  #reported = '';

  constructor(health: Pick<Health, 'check'>, logger: Logger) {
    this.#health = health;
    this.#logger = logger;
  }

  /** Names of the parts that are not well, sorted. Why is logged, when that changes. */
  failing(): Promise<readonly string[]> {
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #ask(): Promise<readonly string[]> {
    const parts = Object.entries(await this.#health.check()).filter(([, { ok }]) => !ok);
    const names = parts.map(([name]) => name).sort();
    this.#report(
      names.join(),
      parts.map(([name, { detail }]) => (detail === undefined ? name : `${name} (${detail})`)),
    );
    return names;
  }

  #report(names: string, parts: readonly string[]): void {
    if (names === this.#reported) return;
    this.#reported = names;
    if (names === '') logSafely(this.#logger, 'info', 'Ready again.');
    else logSafely(this.#logger, 'warn', `Not ready: ${parts.join(', ')}.`);
  }
}
