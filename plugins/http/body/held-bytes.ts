import type { ServerResponse } from 'node:http';
import { Unavailable } from '../../../peers/index.js';

/** The bytes of all bodies that this process holds in memory. */
let total = 0;

/** Counts the bytes of one request's body, until its response has ended. */
export class HeldBytes {
  #bytes = 0;
  #isOver = false;

  constructor(
    out: ServerResponse,
    /** The most bytes of all bodies together. */
    private readonly limit: number,
  ) {
    if (out.closed) this.#isOver = true;
    else out.once('close', () => this.release());
  }

  /** Count further bytes. Returns false, and counts nothing, if all bodies together take too much memory. */
  add(bytes: number): boolean {
    if (this.#isOver) return true;
    if (total + bytes > this.limit) return false;
    total += bytes;
    this.#bytes += bytes;
    return true;
  }

  /** The error to throw if `add` returns false. It becomes a 503. */
  get failure(): Unavailable {
    return new Unavailable(
      `All request bodies together take more than ${this.limit} bytes (http.maxBodyMemory)`,
    );
  }

  /** Bytes that are no longer held. */
  remove(bytes: number): void {
    if (this.#isOver) return;
    total -= bytes;
    this.#bytes -= bytes;
  }

  release(): void {
    this.#isOver = true;
    total -= this.#bytes;
    this.#bytes = 0;
  }
}
