import type { Roster } from '../../kernel/index.js';

/** The shares of one process. */
export class LocalRoster implements Roster {
  readonly #shares = new Map<string, number>();

  set(shares: ReadonlyMap<string, number>): void {
    for (const [key, share] of shares)
      if (share === 0) this.#shares.delete(key);
      else this.#shares.set(key, share);
  }

  sum(key: string): number {
    return this.#shares.get(key) ?? 0;
  }
}
