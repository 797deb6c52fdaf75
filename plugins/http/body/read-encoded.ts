// Bodies that are compressed, multipart or counted while they come. Loaded by the first of them.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { HttpProblem } from '../request/http-error.js';
import { Bytes } from './bytes.js';
import { chunksOf } from './decoded-chunks.js';
import { readForm } from './form.js';
import type { BodyLimits } from './limits.js';
import { isForm } from './media-type.js';
import { partsOf } from './multipart.js';
import { type Lost, observed } from './observed-stream.js';
import type { Part } from './part.js';
import { parseBody } from './read-body.js';

/** Read the body into memory and parse it. `limit` is in bytes, after decompression. Rejects with an HttpProblem. */
export async function readEncodedOrMultipart(
  raw: IncomingMessage,
  limit: number,
  limits: BodyLimits,
): Promise<unknown> {
  const boundary = boundaryOf(raw);
  const chunks = chunksOf(raw, limit);
  if (boundary !== undefined) return readForm(partsOf(chunks, boundary, { ...limits, bodyLimit: limit }));
  const bytes = new Bytes();
  for await (const chunk of chunks) bytes.add(chunk);
  return bytes.size === 0 ? undefined : parseBody(bytes.take(), raw, limits);
}

/**
 * The body as a stream: the parts of a multipart form, else decompressed bytes. Throws an HttpProblem; `lost` gets one that
 * has no listener.
 */
export function streamEncodedOrMultipart(
  raw: IncomingMessage,
  limit: number,
  limits: BodyLimits,
  lost: Lost,
): AsyncIterableIterator<Part> | Readable {
  const boundary = boundaryOf(raw);
  const chunks = chunksOf(raw, limit);
  return boundary === undefined
    ? observed(Readable.from(chunks, { objectMode: false }), lost)
    : partsOf(chunks, boundary, limits, lost);
}

/** The boundary between the parts (RFC 2046 §5.1.1); undefined if the body is not a multipart form. */
function boundaryOf({ headers }: IncomingMessage): string | undefined {
  const type = headers['content-type'] ?? '';
  if (!isForm(type)) return undefined;
  const found = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;"]*))/i.exec(type);
  const boundary = found?.[1] ?? found?.[2] ?? '';
  if (boundary === '' || boundary.length > 70)
    throw new HttpProblem(400, 'The Content-Type of a multipart body needs a boundary of 1 to 70 characters');
  return boundary;
}
