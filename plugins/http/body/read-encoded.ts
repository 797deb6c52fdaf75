// Bodies that are compressed, multipart, or counted as they arrive. Loaded on first use.
import type { IncomingMessage } from 'node:http';
import { finished, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { messageOf } from '../../../kernel/index.js';
import { onDemand } from '../../../loader/index.js';
import { isUnavailable } from '../../../peers/index.js';
import { CLIENT_DISCONNECTED, HttpProblem } from '../request/http-error.js';
import { type BodyLimits, Bytes, type FormLimits, guardStream, type OnStreamFailure } from './bytes.js';
import type { HeldBytes } from './held-bytes.js';
import { isForm } from './media-type.js';
import type { FilePart, Part } from './multipart-parser.js';
import { isTooLarge, parseBody, tooLarge } from './read-body.js';

/** Read the body into memory and parse it. `limit` is in bytes, after decompression. Rejects with an HttpProblem. */
export async function readEncodedOrMultipart(
  raw: IncomingMessage,
  limit: number,
  limits: BodyLimits,
  held: HeldBytes,
): Promise<unknown> {
  const boundary = boundaryOf(raw);
  const chunks = chunksOf(raw, limit, held);
  if (boundary !== undefined) return readForm(partsOf(chunks, boundary, { ...limits, bodyLimit: limit }));
  const bytes = new Bytes();
  for await (const chunk of chunks) bytes.add(chunk);
  return bytes.size === 0 ? undefined : parseBody(bytes.take(), raw, limits);
}

/**
 * Return the body as a stream: the parts of a multipart form, or else decompressed bytes. Throws an HttpProblem; `onFailure`
 * receives the HttpProblem of a stream that has no listener.
 */
export function streamEncodedOrMultipart(
  raw: IncomingMessage,
  limit: number,
  limits: FormLimits,
  onFailure: OnStreamFailure,
): AsyncIterableIterator<Part> | Readable {
  const boundary = boundaryOf(raw);
  const chunks = chunksOf(raw, limit);
  return boundary === undefined
    ? guardStream(Readable.from(chunks, { objectMode: false }), onFailure)
    : partsOf(chunks, boundary, limits, onFailure);
}

/** The boundary between the parts (RFC 2046 §5.1.1); undefined if the body isn't a multipart form. */
function boundaryOf({ headers }: IncomingMessage): string | undefined {
  const type = headers['content-type'] ?? '';
  if (!isForm(type)) return undefined;
  const found = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]*))/i.exec(type);
  const boundary = found?.[1] ?? found?.[2] ?? '';
  if (boundary === '' || boundary.length > 70)
    throw new HttpProblem(400, 'The Content-Type of a multipart body needs a boundary of 1 to 70 characters');
  return boundary;
}

type Form = Readonly<Record<string, FormValue | FormValue[]>>;
type FormValue = string | File;

/** Read all parts into memory; files become web `File`s. */
export async function readForm(parts: AsyncIterable<Part>): Promise<Form> {
  const form: Record<string, FormValue | FormValue[]> = Object.create(null);
  for await (const part of parts) {
    const value = 'stream' in part ? await fileOf(part) : part.value;
    const earlier = form[part.name];
    if (earlier === undefined) form[part.name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else form[part.name] = [earlier, value];
  }
  return form;
}

async function fileOf({ stream, filename, type }: FilePart): Promise<File> {
  const bytes = new Bytes();
  for await (const chunk of stream) bytes.add(chunk);
  return new File([bytes.take()], filename, { type });
}

const splitting = onDemand(() => import('./multipart-parser.js'));

/**
 * The parts of a multipart form (RFC 7578). Reads at most one chunk ahead of the consumer. Throws an HttpProblem for a form
 * that is malformed or exceeds a limit; a field value may have `bodyLimit` bytes. Always closes `chunks` at the end. `onFailure`
 * receives the HttpProblem of a file whose stream has no listener.
 */
export async function* partsOf(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  boundary: string,
  limits: FormLimits,
  onFailure: OnStreamFailure = () => {},
): AsyncGenerator<Part, void, undefined> {
  const { Splitter } = await splitting();
  const splitter = new Splitter(chunks, boundary, limits, onFailure);
  try {
    for (let part = await splitter.next(); part !== undefined; part = await splitter.next()) yield part;
  } finally {
    splitter.close();
  }
}

/**
 * The decompressed bytes of a body as they arrive. Throws an HttpProblem immediately if the announced length exceeds `limit`
 * bytes or the encoding isn't supported. The iterator throws one if the decompressed body exceeds `limit` bytes, if it can't
 * be decompressed, or if the client disconnects. When the iterator ends, the rest of the request is read and discarded.
 */
function chunksOf(
  raw: IncomingMessage,
  limit: number,
  held?: HeldBytes,
): AsyncGenerator<Buffer, void, undefined> {
  const decoder = decoderOf(raw.headers['content-encoding']);
  if (decoder === undefined && isTooLarge(raw, limit)) throw tooLarge(limit);
  return counted(raw, decoder, limit, held);
}

async function* counted(
  raw: IncomingMessage,
  decoder: Decoder | undefined,
  limit: number,
  held: HeldBytes | undefined,
): AsyncGenerator<Buffer, void, undefined> {
  const decoding = decoder?.open();
  if (decoding) {
    decoding.on('error', () => {});
    finished(raw, (cause) => void (cause && decoding.destroy(cause)));
    raw.pipe(decoding);
  }
  let size = 0;
  try {
    for await (const chunk of (decoding ?? raw).iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      if (held && !held.add(chunk.length)) throw held.failure;
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof HttpProblem || isUnavailable(cause)) throw cause;
    if (decoder === undefined || (raw.destroyed && !raw.complete)) throw CLIENT_DISCONNECTED;
    throw new HttpProblem(400, `The body is not valid ${decoder.name}: ${messageOf(cause)}`);
  } finally {
    if (decoding) {
      raw.unpipe(decoding);
      decoding.destroy();
    }
    raw.resume();
  }
}

interface Decoder {
  readonly name: string;
  open(): Transform;
}

/** Available in Node 22.15 and later. */
const { createZstdDecompress } = zlib as typeof zlib & {
  createZstdDecompress?: (options: object) => Transform;
};
/** `ZSTD_d_windowLogMax`: a server need not support windows of more than 8 MiB (RFC 9659 §3). */
const ZSTD_WINDOW = { params: { 100: 23 } };

/** Content codings by name (RFC 9110 §8.4.1, RFC 7932, RFC 8878). */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
  ...(createZstdDecompress ? [['zstd', () => createZstdDecompress(ZSTD_WINDOW)] as const] : []),
]);

/** The content codings that a 415 response offers to the client (RFC 9110 §12.5.3). */
const ACCEPTED = [...DECODERS.keys()].join(', ');

/** The decoder for a Content-Encoding header; undefined if the body isn't encoded. Throws an HttpProblem with 415. */
function decoderOf(header: string | undefined): Decoder | undefined {
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
