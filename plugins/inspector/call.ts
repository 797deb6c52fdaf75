import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Kept } from './kept.js';

/** A request to the app, which is sent over a connection as any client's. */
export interface Call {
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
}

export interface CallAnswer {
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

/** Send a request to the server at `to`. Rejects with an Error that says what is wrong with it, or that nothing came. */
export function send(call: Call, to: Pick<AddressInfo, 'address' | 'port'>): Promise<CallAnswer> {
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
      reject(error);
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
