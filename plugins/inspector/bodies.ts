import { brotliDecompressSync, constants, unzipSync } from 'node:zlib';
import { masked, maskedForm, maskedText } from './masking.js';

/** The least that is taken at a time, in bytes. */
const MIN_ROOM = 256;

/** Keeps the first bytes of a body, up to a limit, and counts all of them. */
export class Kept {
  readonly #limit: number;
  /** One for all: thousands of small pieces would each take ten times their size. */
  #room = Buffer.alloc(0);
  size = 0;
  total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

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

export interface ShownBody {
  /** Without secrets; undefined where it is no text. */
  readonly text?: string;
  /** What there is to say of it beside its text: a sentence without its full stop. */
  readonly note?: string;
  /** Bytes of the whole, as it was sent. */
  readonly bytes: number;
}

/** The most bytes that a compressed body may take when it is shown. */
const MAX_SHOWN_BYTES = 262_144;
/** What is unfinished is shown as far as it goes. */
const UNZIP = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_SHOWN_BYTES };
const UNBROTLI = { finishFlush: constants.BROTLI_OPERATION_FLUSH, maxOutputLength: MAX_SHOWN_BYTES };

/** A body as it is shown. `type` and `coding`: its Content-Type and Content-Encoding. */
export function shownBody(kept: Kept, type = '', coding = ''): ShownBody | undefined {
  const { total: bytes } = kept;
  if (bytes === 0) return undefined;
  if (kept.size === 0) return { bytes, note: `${bytes} bytes, which are not kept` };
  const cut = kept.isWhole ? {} : { note: `The first ${kept.size} of ${bytes} bytes` };
  if (/^multipart\//i.test(type)) return { bytes, note: `A form of ${bytes} bytes` };
  const text = textOf(kept.bytes, type, coding);
  if (text === undefined) return { bytes, note: `${bytes} bytes of ${type || 'an unknown type'}` };
  return { bytes, text: withoutSecrets(text, type, kept.isWhole), ...cut };
}

function textOf(bytes: Buffer, type: string, coding: string): string | undefined {
  const plain = decoded(bytes, coding);
  if (plain === undefined) return undefined;
  const isText = /^(?:text\/|application\/(?:\S*json|\S*xml|javascript|x-www-form-urlencoded|graphql))/i;
  if (type !== '' && !isText.test(type)) return undefined;
  // The last character may be cut.
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

function withoutSecrets(text: string, type: string, isWhole: boolean): string {
  if (/urlencoded/i.test(type)) return maskedForm(text);
  try {
    if (isWhole && /^\s*[[{]/.test(text)) return JSON.stringify(masked(JSON.parse(text)), null, 2);
  } catch {
    // It only begins as JSON does.
  }
  return maskedText(text);
}
