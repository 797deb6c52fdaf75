import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseJson } from 'secure-json-parse';
import type { HttpIo } from '../io/io.js';
import { HttpProblem } from '../request/http-error.js';
import { hasMorePairs, parseForm } from '../request/query.js';
import { type BodyLimits, Bytes } from './bytes.js';
import { HeldBytes } from './held-bytes.js';
import { isDeeper } from './json-depth.js';

/** Whether a request announces a body (RFC 9112 §6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** A cheaper `hasBody` that doesn't make Node parse the headers, which may never be needed. Also true if the length is 0. */
export function isAnnounced({ rawHeaders }: IncomingMessage): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const { length } = name;
    if ((length === 14 || length === 17) && /^(?:content-length|transfer-encoding)$/i.test(name)) return true;
  }
  return false;
}

export const isTooLarge = ({ headers }: IncomingMessage, limit: number): boolean =>
  Number(headers['content-length']) > limit;

export const tooLarge = (limit: number): HttpProblem =>
  new HttpProblem(413, `The body is larger than the limit of ${limit} bytes`);

/** Parse the body by its media type. `done` gets it or an HttpProblem, unless the client disconnects. */
export function readBody(
  raw: IncomingMessage,
  out: ServerResponse,
  take: HttpIo['read'],
  limits: BodyLimits,
  done: (failure: unknown, body?: unknown) => void,
): void {
  let bytes: Bytes | undefined = new Bytes();
  let held: HeldBytes | undefined;
  take(raw, (piece) => {
    if (bytes === undefined) return;
    if (piece !== null) {
      if (bytes.size + piece.length <= limits.bodyLimit) {
        // A body that arrives at once isn't counted: most do, and none of them waits for the rest.
        if (held === undefined && piece.length === Number(raw.headers['content-length']))
          return bytes.add(piece);
        held ??= new HeldBytes(out, limits.maxBodyMemory);
        if (held.add(piece.length)) return bytes.add(piece);
      }
      // The rest of the body is read and discarded.
      const failure =
        bytes.size + piece.length > limits.bodyLimit ? tooLarge(limits.bodyLimit) : held?.failure;
      held?.release();
      bytes = undefined;
      return done(failure);
    }
    let body: unknown;
    try {
      body = bytes.size === 0 ? undefined : parseBody(bytes.take(), raw, limits);
    } catch (failure) {
      return done(failure);
    }
    done(undefined, body);
  });
}

export function parseBody(bytes: Buffer, { headers }: IncomingMessage, limits: BodyLimits): unknown {
  const header = headers['content-type'] ?? '';
  if (header === 'application/json') return readJson(utf8(bytes), limits);
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/json' || type.endsWith('+json')) return readJson(text(bytes, header), limits);
  if (type === 'application/x-www-form-urlencoded') return readForm(text(bytes, header), limits);
  if (type.startsWith('text/')) return text(bytes, header);
  return bytes;
}

function readForm(source: string, { maxFields }: BodyLimits): unknown {
  if (hasMorePairs(source, maxFields)) throw tooManyFields(maxFields);
  return parseForm(source);
}

export const tooManyFields = (max: number): HttpProblem =>
  new HttpProblem(413, `The form has more than ${max} fields`);

/**
 * Whether a JSON text may contain dangerous keys, in plain or escaped form. Takes a third of the time of the library's
 * regular expressions, and most bodies have no such keys. Texts with a byte order mark are left to the library, too.
 */
const mayPoison = (source: string): boolean =>
  source.includes('__proto__') ||
  // The second half of "constructor": it begins with a rarer letter, so the search is faster.
  source.includes('uctor') ||
  source.includes('\\u') ||
  source.charCodeAt(0) === 0xfeff;

function readJson(source: string, { maxJsonDepth }: BodyLimits): unknown {
  if (isDeeper(source, maxJsonDepth))
    throw new HttpProblem(400, `The body is nested deeper than ${maxJsonDepth} levels`);
  try {
    if (!mayPoison(source)) return JSON.parse(source);
    // Drops `__proto__` and `constructor.prototype` keys, so that merging a body can't cause prototype pollution.
    return parseJson(source, null, { protoAction: 'remove', constructorAction: 'remove' });
  } catch (cause) {
    throw new HttpProblem(
      400,
      `The body is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}

function text(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return utf8(bytes);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    throw new HttpProblem(415, `The charset "${charset}" is not supported`);
  }
}

function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new HttpProblem(400, 'The body is not valid UTF-8');
  return bytes.toString();
}
