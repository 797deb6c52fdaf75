/** The least that is taken at a time, in bytes. */
const MIN_ROOM = 256;

/** The beginning of what passes by: as many bytes as are to be kept, and how many there were. */
export class Kept {
  readonly #limit: number;
  /** One for all: thousands of small pieces would each take ten times their size. */
  #room = Buffer.alloc(0);
  /** Bytes that are kept. */
  size = 0;
  /** Bytes that have passed. */
  total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether nothing is missing of what has passed. */
  get isWhole(): boolean {
    return this.size === this.total;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.size);
  }

  add(piece: string | Uint8Array): void {
    const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength;
    this.total += length;
    const taken = Math.min(length, this.#limit - this.size);
    if (taken <= 0) return;
    // A copy: buffers of a parser are a part of a larger one, and files are kept elsewhere.
    this.#make(taken);
    // A code unit is at least one byte, or a half of one that is four.
    const bytes = typeof piece === 'string' ? Buffer.from(piece.slice(0, taken)) : piece;
    this.#room.set(bytes.subarray(0, taken), this.size);
    this.size += taken;
  }

  /** Give up what is kept. */
  drop(): void {
    this.#room = Buffer.alloc(0);
    this.size = 0;
  }

  #make(wanted: number): void {
    const needed = this.size + wanted;
    if (needed <= this.#room.length) return;
    const least = this.size === 0 ? needed : Math.max(needed, 2 * this.#room.length, MIN_ROOM);
    const next = Buffer.allocUnsafeSlow(Math.min(this.#limit, least));
    this.#room.copy(next, 0, 0, this.size);
    this.#room = next;
  }
}
