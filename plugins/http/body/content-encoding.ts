import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { HttpProblem } from '../request/http-error.js';

/** Undoes one content coding. */
export interface Decoder {
  readonly name: string;
  open(): Transform;
}

/** Node has it from 22.15 on. */
const { createZstdDecompress } = zlib as typeof zlib & {
  createZstdDecompress?: (options: object) => Transform;
};
/** `ZSTD_d_windowLogMax`: a window of more than 8 MiB must not be asked of a server (RFC 9659 §3). */
const ZSTD_WINDOW = { params: { 100: 23 } };

/** Content codings by name (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
  ...(createZstdDecompress ? [['zstd', () => createZstdDecompress(ZSTD_WINDOW)] as const] : []),
]);

/** Content codings that a client can send instead, in a 415 (RFC 9110 §12.5.3). */
const ACCEPTED = [...DECODERS.keys()].join(', ');

/** The decoder for a Content-Encoding header; undefined if nothing is encoded. Throws an HttpProblem with 415. */
export function decoderOf(header: string | undefined): Decoder | undefined {
  const names = (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  const [name] = names;
  if (name === undefined) return undefined;
  if (names.length > 1) throw unsupported('A body with more than one Content-Encoding is not supported');
  const open = DECODERS.get(name === 'x-gzip' ? 'gzip' : name);
  if (open === undefined) throw unsupported(`A body with Content-Encoding "${name}" is not supported`);
  return { name, open };
}

const unsupported = (message: string): HttpProblem =>
  new HttpProblem(415, message, undefined, { 'Accept-Encoding': ACCEPTED });
