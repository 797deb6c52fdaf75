import type { Readable } from 'node:stream';

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
