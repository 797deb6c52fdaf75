/** The beginning of what passes by: as many bytes as are to be kept, and how many there were. */
export class Kept {
  readonly #limit: number;
  #pieces: Buffer[] = [];
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
    return Buffer.concat(this.#pieces);
  }

  add(piece: string | Uint8Array): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.total += bytes.byteLength;
    const room = this.#limit - this.size;
    if (room <= 0 || bytes.byteLength === 0) return;
    // A copy: buffers of a parser are a part of a larger one, and files are kept elsewhere.
    this.#pieces.push(Buffer.from(bytes.subarray(0, room)));
    this.size += Math.min(room, bytes.byteLength);
  }

  /** Give up what is kept. */
  drop(): void {
    this.#pieces = [];
    this.size = 0;
  }
}
