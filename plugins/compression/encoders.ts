import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { pipeline as whenSent } from 'node:stream/promises';
import zlib from 'node:zlib';
import { checkPiece } from '../http/internal.js';

/** Content codings (RFC 9110 §8.4.1, RFC 8878): `zstd` where Node has it, from 22.15 and 23.8. */
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
/** 2 to the power of this: the bytes that an encoder holds to find repetitions in. Memory of a response, for as long as it lasts. */
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

/** What newer versions of Node have beside the types that this is compiled with. */
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

/** How long a source may be silent before the client gets what it has said so far, in milliseconds. */
const SILENCE_MS = 25;
/** In bytes, of a body that is there as a whole. */
const PIECE_BYTES = 64 * 1024;

/**
 * What `source` yields, compressed, as fast as it is read. What it holds back for a better compression comes out when the source
 * is silent for a moment; with `eager` after each piece. It fails with the error of the source, and ends it when it is destroyed.
 */
export function encoded(source: Readable, encoder: Encoder, eager: boolean): Readable {
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const piece of source) {
        clearTimeout(timer);
        checkPiece(piece);
        yield piece;
        // The encoder asks for the next piece, so this one has been written to it.
        if (eager) encoder.flush();
        else timer = setTimeout(() => void (encoder.destroyed || encoder.flush()), SILENCE_MS);
      }
    } finally {
      clearTimeout(timer);
    }
  }
  // The reader of the encoder gets its error.
  pipeline(Readable.from(pieces()), encoder, (failure) => {
    source.destroy(failure ?? undefined);
  });
  return encoder;
}

/** Send a body that is there as a whole, piece by piece. A client that goes away ends it; it never rejects. */
export function sendEncoded(out: ServerResponse, encoder: Encoder, body: string | Uint8Array): Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  function* pieces(): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
  }
  return whenSent(Readable.from(pieces()), encoder, out).catch(() => {});
}
