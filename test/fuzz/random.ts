/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.next() * 100 < percent;
  }

  /** An item of a non-empty list. */
  pick<T>(list: readonly T[]): T {
    const picked = list[this.between(0, list.length - 1)];
    if (picked === undefined && list.length === 0) throw new RangeError('There is nothing to pick from.');
    return picked as T;
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count);
    for (let index = 0; index < count; index += 1) bytes[index] = this.between(0, 255);
    return bytes;
  }

  /** Letters and digits, so that the text survives every encoding. */
  word(least = 1, most = 12): string {
    let text = '';
    for (let left = this.between(least, most); left > 0; left -= 1) text += this.pick(LETTERS);
    return text;
  }
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];

/** The random numbers of one exchange, independent of other exchanges. */
export const randomOf = (seed: number, exchange: number): Random =>
  new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(exchange + 1, 0x85ebca6b));
