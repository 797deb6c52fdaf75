import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { CodingName } from './options.js';

/** An encoder of Node's. */
export interface Encoder extends Transform {
  /** Have all that was written so far come out. */
  flush(kind?: number, done?: () => void): void;
}

export interface Coding {
  readonly name: CodingName;
  /** Compresses a body that comes in pieces. */
  readonly stream: () => Encoder;
  /** A whole body at once, in this thread. */
  readonly sync: (body: string | Uint8Array) => Buffer;
  /** A whole body, in a thread of Node's pool. */
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

/** The codings of these names that this version of Node has. */
export const codingsOf = (names: readonly CodingName[]): readonly Coding[] =>
  names.flatMap((name) => ALL.find((coding) => coding?.name === name) ?? []);
