import { request } from 'node:http';
import { isObject } from '../../kernel/index.js';
import { headerOf } from '../http/internal.js';
import { StoredBody, shownBody } from './bodies.js';
import { maskHeaders } from './masking.js';
import type { RequestRecord } from './record.js';
import type { Recorder } from './recorder.js';

/** The address at which the app receives requests: a connection's local end, and its Host header. */
export interface AppAddress {
  readonly address: string;
  readonly port: number;
  readonly host: string;
}

/** The reason why the inspector refuses a request: a sentence without its full stop, and the status code. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

const METHOD = /^[A-Z][A-Z-]{0,19}$/;
const MAX_CALL_BYTES = 1_048_576;

export function callOf(given: unknown, host: string): Call {
  if (!isObject(given)) throw new Refusal('The call is not an object. Use { method, path, headers, body }');
  const { method = 'GET', path, headers = {}, body } = given;
  if (typeof method !== 'string' || !METHOD.test(method.toUpperCase()) || method.toUpperCase() === 'CONNECT')
    throw new Refusal('"method" is not an HTTP method. Use GET, POST, PUT, …');
  if (typeof path !== 'string' || !/^\/[\x21-\x7e]*$/.test(path))
    throw new Refusal(
      '"path" is not a URL path. Begin with "/", and percent-encode characters that a URL cannot contain',
    );
  if (/^\/_fwk(?:\/|$|\?)/.test(path))
    throw new Refusal('"path" belongs to the development server itself. Use a path of the app');
  if (!isObject(headers))
    throw new Refusal('"headers" is not an object. Use header names as keys and strings as values');
  const list = ['Host', host];
  for (const [name, value] of Object.entries(headers)) {
    if (
      !/^[\w!#$%&'*+.^`|~-]+$/.test(name) ||
      typeof value !== 'string' ||
      /[^\t\x20-\x7e\x80-\xff]/.test(value)
    )
      throw new Refusal(`The header "${name}" cannot be sent. Use a string without line breaks`);
    if (name.toLowerCase() === 'host') list[1] = value;
    else list.push(name, value);
  }
  const isNamed = (wanted: string): boolean => headerOf(list, wanted) !== undefined;
  const text = body === undefined || typeof body === 'string' ? body : jsonOf(body);
  const bytes = text === undefined || text === '' ? undefined : Buffer.from(text);
  if (bytes && bytes.byteLength > MAX_CALL_BYTES)
    throw new Refusal(`The body is longer than ${MAX_CALL_BYTES} bytes`);
  if (bytes && !isNamed('content-type'))
    list.push(
      'Content-Type',
      /^\s*[[{"]/.test(text ?? '') ? 'application/json' : 'text/plain; charset=utf-8',
    );
  if (!isNamed('accept')) list.push('Accept', 'application/json, */*;q=0.8');
  return { method: method.toUpperCase(), path, headers: list, body: bytes };
}

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw new Refusal('"body" is nested too deeply to be sent. Pass it as a string');
  }
}

/** Repeat the request of a record. Throws a Refusal if the record is incomplete. */
export function repeatedCall(record: RequestRecord): Call {
  const { method, target, headers, body } = record;
  if (!record.isRepeatable)
    throw new Refusal('The body of this request was not stored completely, so it cannot be sent again');
  return { method, path: target, headers, body: body.total > 0 ? body.bytes : undefined };
}

export function shownAnswer(answer: CallAnswer, recorder: Recorder) {
  const { status, statusText, headers, body, duration, port, cut } = answer;
  return {
    status,
    statusText,
    headers: maskHeaders(headers),
    body: shownBody(body, headerOf(headers, 'content-type'), headerOf(headers, 'content-encoding')),
    duration: Math.round(duration * 100) / 100,
    ...(cut === undefined ? {} : { cut }),
    request: recorder.from(port)?.id,
  };
}

export const valuesOf = (headers: readonly string[], wanted: string): string[] =>
  headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === wanted);

interface Call {
  readonly method: string;
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
}

interface CallAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: StoredBody;
  /** In milliseconds. */
  readonly duration: number;
  /** The local port of the connection, which identifies the request's record. */
  readonly port: number | undefined;
  /** Why the rest of the answer was not read: a sentence without its full stop. */
  readonly cut?: string;
}

/** Maximum bytes of an answer that are stored. */
const MAX_ANSWER_BYTES = 262_144;
/** Timeout for an answer, and for an event stream, which may never end, in milliseconds. */
const TIMEOUT_MS = 30_000;
const EVENTS_MS = 2_000;

/** Send a request to the app. Rejects with a Refusal if the request is invalid or no answer arrived. */
export function send(call: Call, to: AppAddress, limit = MAX_ANSWER_BYTES): Promise<CallAnswer> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const { method, path, body } = call;
    const out = request({
      host: to.address,
      port: to.port,
      method,
      path,
      headers: [...framed(call.headers, body)],
      agent: false,
      setHost: false,
    });
    let timer = setTimeout(
      () => out.destroy(new Error(`There was no answer within ${TIMEOUT_MS / 1_000} seconds`)),
      TIMEOUT_MS,
    );
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(new Refusal(error.message));
    };
    out.once('error', fail);
    out.once('upgrade', (_message, socket) => {
      socket.destroy();
      fail(new Error('The answer is a WebSocket, which only a WebSocket client can open'));
    });
    out.once('response', (message) => {
      const received = new StoredBody(limit);
      const port = message.socket.localPort;
      const done = (cut?: string): void => {
        clearTimeout(timer);
        resolve({
          status: message.statusCode ?? 0,
          statusText: message.statusMessage ?? '',
          headers: message.rawHeaders,
          body: received,
          duration: performance.now() - began,
          port,
          ...(cut === undefined ? {} : { cut }),
        });
        message.destroy();
      };
      if (/^text\/event-stream/i.test(message.headers['content-type'] ?? '')) {
        clearTimeout(timer);
        timer = setTimeout(() => done('It is a stream, and this is its beginning'), EVENTS_MS);
      }
      message.on('data', (piece: Buffer) => {
        received.add(piece);
        if (!received.isComplete) done(`It is longer than ${limit} bytes`);
      });
      message.once('end', () => done());
      message.once('error', () => done('The connection broke before the end of the answer'));
    });
    out.end(body);
  });
}

/** The headers with the length of the body, and without hop-by-hop headers (RFC 9110 §7.6.1). */
function* framed(headers: readonly string[], body: Buffer | undefined): Iterable<string> {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = '', value = ''] = headers.slice(index, index + 2);
    if (!OF_CONNECTION.test(name)) yield* [name, value];
  }
  yield* ['Connection', 'close'];
  if (body !== undefined) yield* ['Content-Length', String(body.byteLength)];
}

const OF_CONNECTION =
  /^(?:connection|content-length|transfer-encoding|keep-alive|upgrade|expect|te|trailer|proxy-connection)$/i;
