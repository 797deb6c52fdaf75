import { brotliDecompressSync, constants, unzipSync } from 'node:zlib';
import { maskForm, maskText, maskValue } from './masking.js';

/** The minimum size of an allocation, in bytes. */
const MIN_ROOM = 256;

/** Stores the first bytes of a body, up to a limit, and counts all of them. */
export class StoredBody {
  /** One buffer for the whole body: thousands of small pieces would each take ten times their size. */
  #room = Buffer.alloc(0);
  size = 0;
  total = 0;

  constructor(private readonly limit: number) {}

  get isComplete(): boolean {
    return this.size === this.total;
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.size);
  }

  add(piece: string | Uint8Array): void {
    const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.byteLength;
    this.total += length;
    const taken = Math.min(length, this.limit - this.size);
    if (taken <= 0) return;
    // A copy: a parser's buffers are slices of a larger buffer, and files are cached elsewhere.
    this.#make(taken);
    // Each code unit takes at least one byte, or two of the four bytes of a surrogate pair.
    const bytes = typeof piece === 'string' ? Buffer.from(piece.slice(0, taken)) : piece;
    this.#room.set(bytes.subarray(0, taken), this.size);
    this.size += taken;
  }

  drop(): void {
    this.#room = Buffer.alloc(0);
    this.size = 0;
  }

  #make(wanted: number): void {
    const needed = this.size + wanted;
    if (needed <= this.#room.length) return;
    const least = this.size === 0 ? needed : Math.max(needed, 2 * this.#room.length, MIN_ROOM);
    const next = Buffer.allocUnsafeSlow(Math.min(this.limit, least));
    this.#room.copy(next, 0, 0, this.size);
    this.#room = next;
  }
}

export interface ShownBody {
  /** Without secrets; undefined if the body is not text. */
  readonly text?: string;
  /** A remark on the body: a sentence without its full stop. */
  readonly note?: string;
  /** Bytes of the complete body, as it was sent. */
  readonly bytes: number;
}

/** Maximum size of a compressed body after decompression, in bytes. */
const MAX_SHOWN_BYTES = 262_144;
/** An incomplete body is decompressed as far as possible. */
const UNZIP = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_SHOWN_BYTES };
const UNBROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength: MAX_SHOWN_BYTES };

/** Returns the form of a body that is shown. `type` and `coding`: its Content-Type and Content-Encoding. */
export function shownBody(stored: StoredBody, type = '', coding = ''): ShownBody | undefined {
  const { total: bytes } = stored;
  if (bytes === 0) return undefined;
  if (stored.size === 0) return { bytes, note: `${bytes} bytes, which were not stored` };
  const cut = stored.isComplete ? {} : { note: `The first ${stored.size} of ${bytes} bytes` };
  if (/^multipart\//i.test(type)) return { bytes, note: `A form of ${bytes} bytes` };
  const text = textOf(stored.bytes, type, coding);
  if (text === undefined) return { bytes, note: `${bytes} bytes of ${type || 'an unknown type'}` };
  return { bytes, text: withoutSecrets(text, type, stored.isComplete), ...cut };
}

function textOf(bytes: Buffer, type: string, coding: string): string | undefined {
  const plain = decoded(bytes, coding);
  if (plain === undefined) return undefined;
  const isText = /^(?:text\/|application\/(?:\S*json|\S*xml|javascript|x-www-form-urlencoded|graphql))/i;
  if (type !== '' && !isText.test(type)) return undefined;
  // The last character may be incomplete.
  const text = new TextDecoder().decode(plain, { stream: true });
  return type === '' && text.includes('\uFFFD') ? undefined : text;
}

function decoded(bytes: Buffer, coding: string): Buffer | undefined {
  try {
    if (coding === '' || coding === 'identity') return bytes;
    if (coding === 'gzip' || coding === 'deflate') return unzipSync(bytes, UNZIP);
    return coding === 'br' ? brotliDecompressSync(bytes, UNBROTLI) : undefined;
  } catch {
    return undefined;
  }
}

function withoutSecrets(text: string, type: string, isComplete: boolean): string {
  if (/urlencoded/i.test(type)) return maskForm(text);
  try {
    if (isComplete && /^\s*[[{]/.test(text)) return JSON.stringify(maskValue(JSON.parse(text)), null, 2);
  } catch {
    // Only the beginning is valid JSON.
  }
  return maskText(text);
}
