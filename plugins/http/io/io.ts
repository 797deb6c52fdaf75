import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Response headers: names and values alternate, which is the fastest form for `writeHead`. */
export type HeaderList = string[];

/** A way to read request bodies, and to write responses whose body is complete. */
export interface HttpIo {
  /** End the stream of a request without a body, because nobody reads it. */
  readonly endEmpty: (raw: IncomingMessage) => void;
  /** Call `each` with every piece of a body as it arrives, and with null at the end. Isn't called again if the client disconnects. */
  readonly read: (raw: IncomingMessage, each: (piece: Buffer | null) => void) => void;
  /**
   * Send a head and a body. `headers` has no Content-Type and no Content-Length, and its names are valid. Returns a promise
   * if sending is asynchronous; it rejects with the reason if nothing can be sent.
   */
  readonly write: (
    out: ServerResponse,
    status: number,
    headers: HeaderList | undefined,
    /** The media type; undefined for none. */
    type: string | undefined,
    body: string | Uint8Array,
    /** The Content-Length that was set. Only used for HEAD, whose handler may announce a body without creating it. */
    length: number | undefined,
  ) => Promise<void> | undefined;
  /** Send a head with a status that has no body: 204 or 304 (RFC 9110 §15.3.5, §15.4.5). */
  readonly writeEmpty: (out: ServerResponse, status: 204 | 304, headers: HeaderList | undefined) => void;
  /**
   * Encode a streamed body: returns the stream to send instead, and changes `headers`. If absent or undefined, the body is
   * sent unchanged.
   */
  readonly encode?: (out: ServerResponse, head: BodyHead, source: Readable) => Readable | undefined;
  /** Make the headers of a 304 equal to the headers of the corresponding 200 (RFC 9110 §15.4.5). */
  readonly describe?: (out: ServerResponse, head: BodyHead) => void;
}

export interface BodyHead {
  readonly status: number;
  readonly headers: HeaderList;
  readonly type: string | undefined;
  readonly length: number | undefined;
}

/** Uses documented Node APIs only. */
export const plainIo: HttpIo = {
  endEmpty: () => {},

  // Listeners cost a fifth less per request than an async iterator.
  read: (raw, each) => void raw.on('data', each).on('end', () => each(null)),

  write(out, status, headers, type, body, length) {
    const byteLength = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    writeHead(
      out,
      status,
      headers,
      type,
      length !== undefined && out.req.method === 'HEAD' ? length : byteLength,
    );
    out.end(body);
    return undefined;
  },

  writeEmpty: (out, status, headers) => void out.writeHead(status, headers ?? []).end(),
};

/** Write the head of a response whose body follows. */
export function writeHead(
  out: ServerResponse,
  status: number,
  given: HeaderList | undefined,
  type: string | undefined,
  length: number | undefined,
): void {
  const headers = given ?? [];
  if (type !== undefined) headers.push('Content-Type', type);
  if (length !== undefined) headers.push('Content-Length', String(length));
  out.writeHead(status, headers);
}
