import { request } from 'node:http';
import { isObject } from '../../kernel/index.js';
import { Kept, shownBody } from './bodies.js';
import { maskedHeaders } from './masking.js';
import type { RequestRecord } from './record.js';
import type { Recorder } from './recorder.js';
import { headerIn } from './views.js';

/** Where the app is asked: the end of a connection that it has accepted, and the Host that was named there. */
export interface Door {
  readonly address: string;
  readonly port: number;
  readonly host: string;
}

/** Why a request to the inspector is refused: a sentence without its full stop, and the status code. */
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
  if (!isObject(given)) throw new Refusal('The call is no object. Give { method, path, headers, body }');
  const { method = 'GET', path, headers = {}, body } = given;
  if (typeof method !== 'string' || !METHOD.test(method.toUpperCase()) || method.toUpperCase() === 'CONNECT')
    throw new Refusal('"method" is none. Give GET, POST or another');
  if (typeof path !== 'string' || !/^\/[\x21-\x7e]*$/.test(path))
    throw new Refusal('"path" is none. Begin with "/", and percent-encode what a URL cannot have');
  if (/^\/_fwk(?:\/|$|\?)/.test(path))
    throw new Refusal('"path" is of the development server itself. Ask for one of the app');
  if (!isObject(headers)) throw new Refusal('"headers" are no object. Give names and texts');
  const list = ['Host', host];
  for (const [name, value] of Object.entries(headers)) {
    if (
      !/^[\w!#$%&'*+.^`|~-]+$/.test(name) ||
      typeof value !== 'string' ||
      /[^\t\x20-\x7e\x80-\xff]/.test(value)
    )
      throw new Refusal(`The header "${name}" cannot be sent. Give a text without line breaks`);
    if (name.toLowerCase() === 'host') list[1] = value;
    else list.push(name, value);
  }
  const isNamed = (wanted: string): boolean => headerIn(list, wanted) !== '';
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
    throw new Refusal('"body" has more levels than can be sent. Give it as a text');
  }
}

/** The request of a record once more. Throws a Refusal where it is not known whole. */
export function callAgain(record: RequestRecord): Call {
  const { method, target, headers, body } = record;
  if (!record.isRepeatable)
    throw new Refusal('The body of this request is not kept whole, so that it cannot be sent again');
  return { method, path: target, headers, body: body.total > 0 ? body.bytes : undefined };
}

export function shownAnswer(answer: CallAnswer, recorder: Recorder) {
  const { status, statusText, headers, body, duration, port, cut } = answer;
  return {
    status,
    statusText,
    headers: maskedHeaders(headers),
    body: shownBody(body, headerIn(headers, 'content-type'), headerIn(headers, 'content-encoding')),
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
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
}

interface CallAnswer {
  readonly status: number;
  readonly statusText: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Kept;
  /** Milliseconds. */
  readonly duration: number;
  /** The port of this end of the connection, by which its record is found. */
  readonly port: number | undefined;
  /** Why the rest of the answer was not waited for: a sentence without its full stop. */
  readonly cut?: string;
}

/** The most bytes of an answer that are kept. */
const MAX_ANSWER_BYTES = 262_144;
/** Milliseconds for an answer, and for one that is a stream of events, which may never end. */
const TIMEOUT_MS = 30_000;
const EVENTS_MS = 2_000;

/** Send a request to the app. Rejects with a Refusal that says what is wrong with it, or that no answer came. */
export function send(call: Call, to: Door): Promise<CallAnswer> {
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
      fail(new Error('The answer is a WebSocket, which has to be opened by a client of its own'));
    });
    out.once('response', (message) => {
      const kept = new Kept(MAX_ANSWER_BYTES);
      const port = message.socket.localPort;
      const done = (cut?: string): void => {
        clearTimeout(timer);
        resolve({
          status: message.statusCode ?? 0,
          statusText: message.statusMessage ?? '',
          headers: message.rawHeaders,
          body: kept,
          duration: performance.now() - began,
          port,
          ...(cut === undefined ? {} : { cut }),
        });
        message.destroy();
      };
      if (/^text\/event-stream/i.test(message.headers['content-type'] ?? '')) {
        clearTimeout(timer);
        timer = setTimeout(() => done('It is a stream, of which this came first'), EVENTS_MS);
      }
      message.on('data', (piece: Buffer) => {
        kept.add(piece);
        if (!kept.isWhole) done(`It is longer than ${MAX_ANSWER_BYTES} bytes`);
      });
      message.once('end', () => done());
      message.once('error', () => done('The connection was cut before its end'));
    });
    out.end(body);
  });
}

/** Headers with the length of the body, and without those that are of one connection (RFC 9110 §7.6.1). */
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
