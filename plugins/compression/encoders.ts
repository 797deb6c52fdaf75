import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { pipeline as whenSent } from 'node:stream/promises';
import zlib from 'node:zlib';
import { checkPiece } from '../http/internal.js';

/** Content codings (RFC 9110 §8.4.1, RFC 8878). Node supports `zstd` from 22.15 and 23.8. */
export type CodingName = 'zstd' | 'br' | 'gzip';

interface Encoder extends Transform {
  /** Output everything that was written so far. */
  flush(kind?: number, done?: () => void): void;
}

export interface Coding {
  readonly name: CodingName;
  readonly stream: () => Encoder;
  readonly sync: (body: string | Uint8Array) => Buffer;
  readonly whole: (body: string | Uint8Array, done: (failure: Error | null, coded: Buffer) => void) => void;
}

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
/** As fast as gzip at its default level, and smaller. The default, 11, takes seconds for a megabyte. */
const BROTLI_QUALITY = 4;
/** The base-2 logarithm of the bytes in which an encoder looks for repetitions, kept per response. */
const STREAM_WINDOW_BITS = 18;

const brotli = (length?: number) => ({
  params: {
    [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [BROTLI_PARAM_LGWIN]: STREAM_WINDOW_BITS,
    ...(length === undefined ? {} : { [BROTLI_PARAM_SIZE_HINT]: length }),
  },
});

const gzip: Coding = {
  name: 'gzip',
  stream: () => zlib.createGzip(),
  sync: (body) => zlib.gzipSync(body),
  whole: (body, done) => zlib.gzip(body, done),
};

const br: Coding = {
  name: 'br',
  stream: () => zlib.createBrotliCompress(brotli()),
  sync: (body) => zlib.brotliCompressSync(body, brotli(body.length)),
  whole: (body, done) => zlib.brotliCompress(body, brotli(body.length), done),
};

/** Functions of newer Node versions that are missing in the types used here. */
interface ZstdModule {
  createZstdCompress(options: object): Encoder;
  zstdCompressSync(body: string | Uint8Array, options: object): Buffer;
  zstdCompress(
    body: string | Uint8Array,
    options: object,
    done: (failure: Error | null, coded: Buffer) => void,
  ): void;
  readonly constants: { readonly ZSTD_c_windowLog: number };
}

function hasZstd(module: object): module is ZstdModule {
  return 'createZstdCompress' in module;
}

function zstdOf(module: object): Coding | undefined {
  if (!hasZstd(module)) return undefined;
  const options = { params: { [module.constants.ZSTD_c_windowLog]: STREAM_WINDOW_BITS } };
  return {
    name: 'zstd',
    stream: () => module.createZstdCompress(options),
    sync: (body) => module.zstdCompressSync(body, options),
    whole: (body, done) => module.zstdCompress(body, options, done),
  };
}

const ALL = [zstdOf(zlib), br, gzip];

export const codingsOf = (names: readonly CodingName[]): readonly Coding[] =>
  names.flatMap((name) => ALL.find((coding) => coding?.name === name) ?? []);

/** How long a source may be silent before the output so far is flushed to the client, in milliseconds. */
const SILENCE_MS = 25;
/** Size of the pieces of a whole body, in bytes. */
const PIECE_BYTES = 64 * 1024;

/**
 * Compress the output of `source` as fast as the result is read. Data that the encoder holds back
 * for better compression is flushed when the source is silent for a moment, or with `eager` after
 * each piece. The result fails with the error of the source, and destroys the source when it is
 * destroyed.
 */
export function encoded(source: Readable, encoder: Encoder, eager: boolean): Readable {
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const piece of source) {
        clearTimeout(timer);
        checkPiece(piece);
        yield piece;
        // The encoder requests the next piece, so this one has been written to it.
        if (eager) encoder.flush();
        else timer = setTimeout(() => void (encoder.destroyed || encoder.flush()), SILENCE_MS);
      }
    } finally {
      clearTimeout(timer);
    }
  }
  // The reader of the encoder receives its error.
  pipeline(Readable.from(pieces()), encoder, (failure) => {
    source.destroy(failure ?? undefined);
  });
  return encoder;
}

/** Send a whole body in pieces. A client that disconnects ends it; it never rejects. */
export function sendEncoded(out: ServerResponse, encoder: Encoder, body: string | Uint8Array): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  function* pieces(): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  }
  return whenSent(Readable.from(pieces()), encoder, out).catch(() => {});
}
