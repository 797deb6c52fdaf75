import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from './caller.js';

/** The most bytes that are taken of a page or an assistant. */
const MAX_BODY_BYTES = 2_097_152;

/** Headers of all answers: no other page may embed or read them. */
export const GUARDS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The body of a request. Throws a Refusal where it is no JSON, or too long: the rest may still be on its way. */
export async function readJson(raw: IncomingMessage, rest: RestOfBody): Promise<unknown> {
  if (!/^application\/json\b/i.test(raw.headers['content-type'] ?? ''))
    throw new Refusal('The body is not JSON. Send it with Content-Type: application/json');
  const tooLong = new Refusal(`The body is longer than ${MAX_BODY_BYTES} bytes`, 413);
  if (Number(raw.headers['content-length']) > MAX_BODY_BYTES) throw tooLong;
  const pieces: Buffer[] = [];
  let size = 0;
  rest.begin();
  // Left early, a plain loop would end the connection, and the answer with it.
  for await (const piece of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLong;
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch {
    throw new Refusal('The body is not JSON');
  }
}

export function json(out: ServerResponse, status: number, value: unknown, headers: object = {}): void {
  const text = JSON.stringify(value);
  out
    .writeHead(status, { ...GUARDS, 'Content-Type': 'application/json; charset=utf-8', ...headers })
    .end(text);
}

/** How a body is begun to be read, and what is left of it discarded. */
export interface RestOfBody {
  /** Call it before the body is read. */
  readonly begin: () => void;
  /** Call it if the body was not read to its end. */
  readonly discard: () => void;
}

interface Refused {
  readonly raw: IncomingMessage;
  readonly out: ServerResponse;
  readonly rest: RestOfBody;
}

/** Answer with a sentence on what is wrong. */
export function refuse(
  { raw, out, rest }: Refused,
  status: number,
  message: string,
  headers: object = {},
): void {
  // What is left of the body is discarded: a client that sends it before it reads would get no answer.
  const close = raw.complete ? {} : { Connection: 'close' };
  if (!raw.complete) rest.discard();
  json(out, status, { status, message }, { ...headers, ...close });
}
