import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/** Headers of a response: names and values in turn, as `writeHead` takes them fastest. */
export type HeaderList = string[];

/** One way to read the bodies of requests, and to write responses that are known as a whole. */
export interface Io {
  /** End the stream of a request that announces no body: it is never read. */
  readonly endEmpty: (raw: IncomingMessage) => void;
  /** Call `each` with every piece of a body, as it comes, and with null after the last; never again if the client leaves. */
  readonly read: (raw: IncomingMessage, each: (piece: Buffer | null) => void) => void;
  /**
   * Send a head and a body. `headers` are those beside Content-Type and Content-Length; their names are valid. What takes its
   * time gives a promise, which rejects with what keeps it from being sent.
   */
  readonly write: (
    out: ServerResponse,
    status: number,
    headers: HeaderList | undefined,
    /** The media type; undefined for none. */
    type: string | undefined,
    body: string | Uint8Array,
    /** The Content-Length that was set. Counts for HEAD only: a handler may announce a body that it does not make. */
    length: number | undefined,
  ) => Promise<void> | undefined;
  /** Send a head of a status that has no body: 204 or 304 (RFC 9110 §15.3.5, §15.4.5). */
  readonly writeEmpty: (out: ServerResponse, status: 204 | 304, headers: HeaderList | undefined) => void;
  /** Codes a body that is streamed: gives what is sent in its place, and changes `headers`. Absent, or undefined: it is sent as it is. */
  readonly encode?: (out: ServerResponse, head: BodyHead, source: Readable) => Readable | undefined;
  /** Have the headers of a 304 be those of the 200 that it stands for (RFC 9110 §15.4.5). */
  readonly describe?: (out: ServerResponse, head: BodyHead) => void;
}

export interface BodyHead {
  readonly status: number;
  readonly headers: HeaderList;
  readonly type: string | undefined;
  readonly length: number | undefined;
}

/** Node's own way: what it documents, and nothing else. */
export const plainIo: Io = {
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

/** Write the head of a response whose body is still to come. */
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
