import type { Readable } from 'node:stream';
import { onDemand } from '../../../kernel/index.js';
import type { BodyLimits } from './index.js';
import type { Lost } from './observed-stream.js';

/** A field of a streamed multipart form. */
export interface FieldPart {
  readonly name: string;
  readonly value: string;
}

/** A file of a streamed multipart form. */
export interface FilePart {
  /** The field that the file belongs to. */
  readonly name: string;
  /** As the client calls it, without directories; '' if no file was chosen. From outside: do not write to it unchecked. */
  readonly filename: string;
  /** Media type that the client claims; `text/plain` if it claims none (RFC 7578 §4.4). */
  readonly type: string;
  /** The headers of the part, names in lower case. No prototype. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes, as they come. To be read before the next part is asked for: that ends it, read or not. */
  readonly stream: Readable;
}

/** `req.body` of a multipart form where the route has `.meta({ body: 'stream' })` yields these, in order. */
export type Part = FieldPart | FilePart;

const splitting = onDemand(() => import('./multipart-parser.js'));

/**
 * The parts of a multipart form (RFC 7578). Nothing is read before it is asked for, and no more than one chunk ahead.
 * Throws an HttpProblem for a form that is malformed or over a limit; field values may have `bodyLimit` bytes. However it
 * ends, `chunks` is closed. `lost` gets an HttpProblem that ends a file whose stream nobody listens to.
 */
export async function* partsOf(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  boundary: string,
  limits: BodyLimits,
  lost: Lost = () => {},
): AsyncGenerator<Part, void, undefined> {
  const { Splitter } = await splitting();
  const splitter = new Splitter(chunks, boundary, limits, lost);
  try {
    for (let part = await splitter.next(); part !== undefined; part = await splitter.next()) yield part;
  } finally {
    splitter.close();
  }
}
