import type { Readable } from 'node:stream';
import { HttpProblem } from '../request/http-error.js';

/** As many pieces are kept as they came. One of a byte takes a hundred in memory, and a client chooses their size. */
const MAX_PIECES = 64;

/** Bytes of a body, put together as they come; together they take no more than twice their size. */
export class Bytes {
  readonly #pieces: Buffer[] = [];
  /** Where they are copied to when there are many. */
  #whole: Buffer | undefined;
  size = 0;

  /** Put a piece behind those before it. It may be kept as it is: who adds it must not change it. */
  add(piece: Buffer): void {
    const from = this.size;
    this.size += piece.length;
    if (this.#pieces.length < MAX_PIECES) return void this.#pieces.push(piece);
    if (this.#whole === undefined || this.#whole.length < this.size) this.#grow(from);
    this.#whole?.set(piece, from);
  }

  take(): Buffer {
    const [first] = this.#pieces;
    if (this.#whole) return this.#whole.subarray(0, this.size);
    return first && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces, this.size);
  }

  #grow(used: number): void {
    const grown = Buffer.allocUnsafe(this.size * 2);
    if (this.#whole) this.#whole.copy(grown, 0, 0, used);
    else Buffer.concat(this.#pieces, used).copy(grown);
    this.#whole = grown;
    this.#pieces.fill(EMPTY);
  }
}

const EMPTY = Buffer.alloc(0);

export interface BodyLimits {
  /** Bytes that are read into memory. */
  readonly bodyLimit: number;
  /** Parts of one multipart body: fields and files. */
  readonly maxParts: number;
  /** Files of one multipart body. */
  readonly maxFiles: number;
  /** Bytes in the name of a multipart field. */
  readonly maxFieldName: number;
  /** Fields of a form, urlencoded or multipart. */
  readonly maxFields: number;
  /** Levels of lists and objects in JSON. */
  readonly maxJsonDepth: number;
}

/** Gets an HttpProblem that no listener gets, so that the client does. */
export type Lost = (problem: HttpProblem) => void;

/** A stream that is given to users' code: one that breaks must not end the process, nor leave its client waiting. */
export function observed<S extends Readable>(stream: S, lost: Lost): S {
  return stream.on('error', (failure) => {
    if (failure instanceof HttpProblem && stream.listenerCount('error') === 1) lost(failure);
  });
}
