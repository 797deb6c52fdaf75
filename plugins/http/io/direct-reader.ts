import { createServer, IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers';
import type { Io } from './io.js';
import { plainIo } from './io.js';
import { SelfTest } from './self-test.js';

/**
 * Reads the bodies of requests without Node's stream, which costs more than all that fwk does for a request.
 *
 * It relies on behaviour that Node does not document: that the parser hands what it reads to `push` of the request, and on the
 * fields that Node 24 sets itself where there is no body (`optimizeEmptyRequests`). So it is for requests only that come
 * straight from a server of this process's own, and Node's own way is used where a request is not fresh from the parser,
 * and until this Node has passed a self-test.
 */
export const directReading: Pick<Io, 'endEmpty' | 'read'> = {
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

/** Whether its parser is still reading it, and no other code has touched it. */
const isFresh = (raw: IncomingMessage & Internals): boolean =>
  raw.socket?.parser?.incoming === raw &&
  !raw.complete &&
  !raw.destroyed &&
  raw.readableFlowing === null &&
  raw.readableLength === 0 &&
  raw.push === push;

/** It has ended, then, and emits nothing. */
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
 * Two bodies, one of them in chunks, and between them none: each must come, and so must the next request. The requests are
 * taken from the parser before Node makes anything of them, so that no tracer, hook or diagnostics channel sees them.
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
    // Emitted by a stream that did not end.
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

/** In memory, with a server and its parser. Not for the first request: it may wait for its route to be imported. */
export const readingSelfTest = new SelfTest(tryReading, 1);

const hasFields = ({ _dumped, _readableState: state }: IncomingMessage & Internals): boolean =>
  _dumped === false && state !== undefined && ENDED.every((field) => state[field] === false);

class FakeConnection extends Duplex {
  override _read(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, written: () => void): void {
    written();
  }
}
