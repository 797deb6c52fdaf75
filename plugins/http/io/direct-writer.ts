import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { HeaderList, HttpIo } from './io.js';
import { plainIo } from './io.js';
import { SelfTest } from './self-test.js';

/**
 * Writes the head and body of a response to the socket in one write. Node takes two writes up to version 22, and builds the
 * head each time.
 *
 * This relies on undocumented behavior of Node: a response whose `_header` is a string and whose `_headerSent` is true has
 * begun, so that `end()` only has to finish it. Node still handles everything that follows: events, keep-alive, and the next
 * response on the connection. It falls back to Node's own way if the head is unusual, if something else must be written
 * first, and until this version of Node has passed a self-test.
 */
export const directWriting: Pick<HttpIo, 'write' | 'writeEmpty'> = {
  write(out, status, headers, type, body, length) {
    if (typeof body !== 'string' || !writingSelfTest.check() || !send(out, status, headers, type, body))
      return plainIo.write(out, status, headers, type, body, length);
    return undefined;
  },
  writeEmpty(out, status, headers) {
    if (!writingSelfTest.check() || !send(out, status, headers, undefined, ''))
      plainIo.writeEmpty(out, status, headers);
  },
};

type Send = (
  out: ServerResponse,
  status: number,
  headers: HeaderList | undefined,
  type: string | undefined,
  body: string,
) => boolean;

interface Internals {
  _header?: string | null;
  _headerSent?: boolean;
  _hasBody?: boolean;
  _trailer?: string;
  _removedConnection?: boolean;
  _defaultKeepAlive?: boolean;
  _keepAliveTimeout?: number;
  _maxRequestsPerSocket?: number | null;
  _expect_continue?: boolean;
  maxRequestsOnConnectionReached?: boolean;
  outputData?: readonly unknown[];
}

/** Headers that Node must process itself, because they control the message framing or keep-alive. */
const FRAMING = /^(?:connection|content-length|date|expect|keep-alive|trailer|transfer-encoding|upgrade)$/i;
/** Characters that have the same bytes in every encoding, without line breaks. */
const PLAIN = /^[\t\x20-\x7e]*$/;

const { end, write, writeHead } = ServerResponse.prototype;

const send: Send = (out: ServerResponse & Internals, status, headers, type, body) => {
  const { socket } = out;
  if (socket === null || !isUsual(out) || !isFree(socket, out)) return false;
  let head = statusLine(status);
  if (headers !== undefined)
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] ?? '';
      const value = headers[index + 1] ?? '';
      if (FRAMING.test(name) || !PLAIN.test(value)) return false;
      head += `${name}: ${value}\r\n`;
    }
  if (type !== undefined) {
    if (!PLAIN.test(type)) return false;
    head += `Content-Type: ${type}\r\n`;
  }
  const isEmpty = status === 204 || status === 304;
  const length = isEmpty ? 0 : Buffer.byteLength(body);
  if (isEmpty) out._hasBody = false;
  else head += `Content-Length: ${length}\r\n`;
  head += tail(out._keepAliveTimeout);
  out.statusCode = status;
  out.statusMessage = STATUS_CODES[status] ?? 'unknown';
  out._header = head;
  out._headerSent = true;
  // The same number of bytes and characters means that all are ASCII and need no encoding.
  socket.write(head + body, length === body.length ? 'latin1' : 'utf8');
  out.end();
  return true;
};

function isUsual(out: ServerResponse & Internals): boolean {
  return (
    out._header === null &&
    out._hasBody === true &&
    out._trailer === '' &&
    out._removedConnection === false &&
    out._defaultKeepAlive === true &&
    out._expect_continue !== true &&
    out.maxRequestsOnConnectionReached !== true &&
    !((out._maxRequestsPerSocket ?? 0) > 0) &&
    out.shouldKeepAlive &&
    // False for HTTP/1.0.
    out.useChunkedEncodingByDefault &&
    out.sendDate &&
    !out.statusMessage &&
    !out.finished &&
    !out.destroyed &&
    // Express middlewares replace these methods and expect their own to be called.
    out.end === end &&
    out.write === write &&
    out.writeHead === writeHead &&
    out.getHeaderNames().length === 0
  );
}

/** Whether it is this response's turn on the connection, and no data waits to be written. */
const isFree = (
  socket: Socket & { _httpMessage?: unknown },
  out: ServerResponse & Pick<Internals, 'outputData'>,
): boolean =>
  socket._httpMessage === out &&
  socket.writable &&
  !socket.destroyed &&
  socket.writableCorked === 0 &&
  out.writableCorked === 0 &&
  out.outputData?.length === 0;

const statusLines: string[] = [];
const statusLine = (status: number): string =>
  (statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`);

let second = 0;
let timeout: number | undefined;
let ending = '';

/** The last headers of a head, rebuilt once per second. */
function tail(keepAliveTimeout: number | undefined): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second || keepAliveTimeout !== timeout) {
    second = now;
    timeout = keepAliveTimeout;
    const limit = keepAliveTimeout ? `Keep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n` : '';
    ending = `Date: ${new Date(now * 1000).toUTCString()}\r\nConnection: keep-alive\r\n${limit}\r\n`;
  }
  return ending;
}

/** Send the same responses directly and through Node, and compare the results. */
function tryWriting(): boolean {
  const sendByNode: Send = (out, status, headers, type, body) => {
    if (status === 204) plainIo.writeEmpty(out, status, headers);
    else plainIo.write(out, status, headers, type, body, undefined);
    return true;
  };
  return isDeepStrictEqual(traceOf(send), traceOf(sendByNode));
}

/** Runs in memory. */
export const writingSelfTest = new SelfTest(tryWriting);

function traceOf(way: Send): readonly unknown[] {
  const trace: unknown[] = [];
  const socket = new Recorder();
  for (const [status, type, body] of [
    [200, 'text/plain', 'body'],
    [204, undefined, ''],
  ] as const) {
    const request = new IncomingMessage(socket);
    request.httpVersionMajor = 1;
    request.httpVersionMinor = 1;
    const out: ServerResponse & Internals = new ServerResponse(request);
    out._keepAliveTimeout = 5_000;
    out.on('prefinish', () => trace.push('prefinish'));
    out.assignSocket(socket);
    trace.push(way(out, status, ['ETag', '"1"'], type, body));
    const { headersSent, writableEnded, writableLength, statusCode, statusMessage, _headerSent } = out;
    trace.push(headersSent, writableEnded, writableLength, statusCode, statusMessage, _headerSent);
    trace.push(socket.writableCorked, socket.text.replace(/^Date: .*/m, ''));
    socket.text = '';
    out.detachSocket(socket);
  }
  return trace;
}

class Recorder extends Socket {
  text = '';

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }

  override _writev(chunks: { chunk: Buffer | string }[], done: () => void): void {
    this.text += chunks.map(({ chunk }) => chunk.toString()).join('');
    done();
  }
}
