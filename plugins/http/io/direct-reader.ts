import { createServer, IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import type { HttpIo } from './io.js';
import { plainIo } from './io.js';
import { SelfTest } from './self-test.js';

/**
 * Reads request bodies without Node's stream, which costs more than everything that fwk does for a request.
 *
 * This relies on undocumented behavior of Node: the parser passes bytes to the request's `push`, and Node 24 sets certain
 * fields itself for requests without a body (`optimizeEmptyRequests`). So it is only used for requests from a server that
 * this process owns. It falls back to Node's streams if a request isn't fresh from the parser, and until this version of Node
 * has passed a self-test.
 */
export const directReading: Pick<HttpIo, 'endEmpty' | 'read'> = {
  endEmpty(raw) {
    if (readingSelfTest.check() && isFresh(raw)) endStream(raw);
  },
  read(raw, each) {
    if (readingSelfTest.check() && isFresh(raw)) takePieces(raw, each);
    else plainIo.read(raw, each);
  },
};

interface Internals {
  _dumped?: boolean;
  _dump?(): void;
  _readableState?: Record<(typeof ENDED)[number], boolean>;
  socket?: { parser?: { incoming?: unknown } | null } | null;
}

const ENDED = ['ended', 'endEmitted', 'destroyed', 'closed', 'closeEmitted'] as const;

const { push } = IncomingMessage.prototype;

/** Whether the parser is still reading the request and no other code has used it. */
const isFresh = (raw: IncomingMessage & Internals): boolean =>
  raw.socket?.parser?.incoming === raw &&
  !raw.complete &&
  !raw.destroyed &&
  raw.readableFlowing === null &&
  raw.readableLength === 0 &&
  raw.push === push;

/** Mark the stream as ended, so that it emits nothing more. */
function endStream(raw: IncomingMessage & Internals): void {
  const state = raw._readableState;
  if (state === undefined) return;
  raw._dumped = true;
  state.ended = true;
  state.endEmitted = true;
  state.destroyed = true;
  state.closed = true;
  state.closeEmitted = true;
}

function takePieces(raw: IncomingMessage, each: (piece: Buffer | null) => void): void {
  raw.push = (piece: Buffer | null) => {
    if (piece === null) endStream(raw);
    each(piece);
    return true;
  };
}

const HEAD = 'HTTP/1.1\r\nHost: localhost\r\n';
const REQUESTS = [
  `POST / ${HEAD}Content-Length: 2\r\n\r\nab`,
  `GET / ${HEAD}\r\n`,
  `POST /last ${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\nc\r\n1\r\nd\r\n0\r\n\r\n`,
];

/**
 * Sends two bodies, one of them chunked, with an empty request between them. Each must arrive, and so must the next request.
 * The requests are taken from the parser before Node emits them, so that no tracer, hook or diagnostics channel sees them.
 */
async function tryReading(): Promise<boolean> {
  const wire: FakeConnection & { parser?: { onIncoming?: unknown } | null } = new FakeConnection();
  createServer().emit('connection', wire);
  const { parser } = wire;
  if (typeof parser?.onIncoming !== 'function') return false;
  const pieces: (string | undefined)[] = [];
  const requests: (IncomingMessage & Internals)[] = [];
  let isSound = true;
  const fail = (): void => {
    isSound = false;
  };
  parser.onIncoming = (raw: IncomingMessage & Internals): number => {
    if (!isFresh(raw) || !hasFields(raw)) fail();
    requests.push(raw);
    if (raw.method === 'POST') takePieces(raw, (piece) => void pieces.push(piece?.toString()));
    else endStream(raw);
    // A stream that didn't end would emit these events.
    for (const event of ['data', 'end', 'close', 'error']) raw.on(event, fail);
    return 0;
  };
  for (const request of REQUESTS) wire.push(request);
  await new Promise(setImmediate);
  // Node calls this when a request has been answered.
  for (const raw of requests) raw._dump?.();
  await new Promise(setImmediate);
  wire.destroy();
  return (
    isSound &&
    requests.length === REQUESTS.length &&
    requests.every((raw) => raw.complete && raw.readableEnded && raw.destroyed && raw.closed) &&
    pieces.join() === 'ab,,c,d,'
  );
}

/** Runs in memory, with a server and its parser. Skips the first request, which may wait for its route to be imported. */
export const readingSelfTest = new SelfTest(tryReading, 1);

const hasFields = ({ _dumped, _readableState: state }: IncomingMessage & Internals): boolean =>
  _dumped === false && state !== undefined && ENDED.every((field) => state[field] === false);

class FakeConnection extends Duplex {
  override _read(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, written: () => void): void {
    written();
  }
}
