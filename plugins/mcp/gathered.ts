/** Bytes that come in pieces, as one. A client chooses how small they are: kept one by one, each would cost a hundred. */
export class Gathered {
  #bytes: Buffer = EMPTY;
  /** How many have come. */
  size = 0;

  add(chunk: Buffer): void {
    const size = this.size + chunk.length;
    if (this.size === 0) this.#bytes = chunk;
    else {
      if (size > this.#bytes.length) this.#grow(Math.max(size, 2 * this.#bytes.length));
      chunk.copy(this.#bytes, this.size);
    }
    this.size = size;
  }

  /** All that has come. What is added afterwards begins anew. */
  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.size);
    this.#bytes = EMPTY;
    this.size = 0;
    return bytes;
  }

  #grow(length: number): void {
    const bytes = Buffer.allocUnsafe(length);
    this.#bytes.copy(bytes, 0, 0, this.size);
    this.#bytes = bytes;
  }
}

const EMPTY = Buffer.alloc(0);
