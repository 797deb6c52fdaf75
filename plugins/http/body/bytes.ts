import type { Readable } from 'node:stream';
import { HttpProblem } from '../request/http-error.js';
import type { HeldBytes } from './held-bytes.js';

/** The most pieces kept as buffers: a piece of one byte, which clients can send, takes a hundred bytes. */
const MAX_PIECES = 64;

/** Collects the bytes of a body as they arrive. Never uses more memory than twice their size. */
export class Bytes {
  readonly #pieces: Buffer[] = [];
  /** The buffer that pieces are copied into when there are many of them. */
  #buffer: Buffer | undefined;
  size = 0;

  /** Append a piece. It may be kept without being copied, so the caller must not change it. */
  add(piece: Buffer): void {
    const from = this.size;
    this.size += piece.length;
    if (this.#pieces.length < MAX_PIECES) return void this.#pieces.push(piece);
    if (this.#buffer === undefined || this.#buffer.length < this.size) this.#grow(from);
    this.#buffer?.set(piece, from);
  }

  take(): Buffer {
    const [first] = this.#pieces;
    if (this.#buffer) return this.#buffer.subarray(0, this.size);
    return first && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces, this.size);
  }

  #grow(used: number): void {
    const grown = Buffer.allocUnsafe(this.size * 2);
    if (this.#buffer) this.#buffer.copy(grown, 0, 0, used);
    else Buffer.concat(this.#pieces, used).copy(grown);
    this.#buffer = grown;
    this.#pieces.fill(EMPTY);
  }
}

const EMPTY = Buffer.alloc(0);

export interface BodyLimits {
  /** Bytes that may be read into memory. */
  readonly bodyLimit: number;
  /** Bytes of all bodies together that may be in memory; 0: no limit. */
  readonly maxBodyMemory: number;
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

/** The limits of a multipart form. `held`: counts the fields of a streamed form, whose other bytes are not kept. */
export interface FormLimits extends BodyLimits {
  readonly held?: HeldBytes;
}

/** Receives the HttpProblem of a stream that has no error listener, so that the client gets a response. */
export type OnStreamFailure = (problem: HttpProblem) => void;

/** Guard a stream that is passed to user code: if it fails, the process doesn't crash and the client still gets a response. */
export function guardStream<S extends Readable>(stream: S, onFailure: OnStreamFailure): S {
  return stream.on('error', (failure) => {
    if (failure instanceof HttpProblem && stream.listenerCount('error') === 1) onFailure(failure);
  });
}
