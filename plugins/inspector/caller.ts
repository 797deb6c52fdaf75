import { isObject } from '../../kernel/index.js';
import { shownBody } from './body-text.js';
import { type Call, type CallAnswer, send } from './call.js';
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

/** What is wrong with what somebody asks: a sentence without its full stop, and the status of the answer. */
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

/** A request as it is described in JSON. Throws a Refusal for what is none. */
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

/** Send a request to the app. Rejects with a Refusal where nothing comes of it. */
export async function sent(call: Call, door: Door): Promise<CallAnswer> {
  return send(call, door).catch((thrown: Error) => {
    throw new Refusal(thrown.message);
  });
}

/** An answer for people, without secrets. */
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

/** All values of a header. */
export const valuesOf = (headers: readonly string[], wanted: string): string[] =>
  headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === wanted);
