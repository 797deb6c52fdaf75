import { createServer, IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { type TakeBody, takeStream } from '../body.js';
import { SelfTest } from './self-test.js';

/**
 * Gets at the bodies of requests without Node's stream, which costs more than all that fwk does for a request.
 *
 * It leans on what Node does not document: that the parser hands what it reads to `push` of the request, and on the
 * fields that Node 24 sets itself where there is no body (`optimizeEmptyRequests`). So it is for requests only that come
 * straight from a server of one's own, and it holds back where a request is not fresh from the parser, and until this
 * Node has passed a self-test.
 */
export interface DirectReader {
  /** Ends the stream of a request that announces no body: it has ended, and will emit nothing. */
  readonly end: (raw: IncomingMessage) => void;
  readonly take: TakeBody;
}

/** The fields of Node's that are read or set. */
interface Internals {
  _dumped?: boolean;
  _readableState?: Record<(typeof ENDED)[number], boolean>;
  socket?: { parser?: { incoming?: unknown } | null } | null;
}

const ENDED = ['ended', 'endEmitted', 'destroyed', 'closed', 'closeEmitted'] as const;

const { push } = IncomingMessage.prototype;

/** Whether its parser is at it, and nobody else has touched it. */
const isFresh = (raw: IncomingMessage & Internals): boolean =>
  raw.socket?.parser?.incoming === raw &&
  !raw.complete &&
  !raw.destroyed &&
  raw.readableFlowing === null &&
  raw.readableLength === 0 &&
  raw.push === push;

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

export const directReader: DirectReader = {
  end(raw) {
    if (readingSelfTest.passed && isFresh(raw)) endStream(raw);
  },
  take(raw, each) {
    if (readingSelfTest.passed && isFresh(raw)) takePieces(raw, each);
    else takeStream(raw, each);
  },
};

/** Diagnostics see these requests, too. */
const HOST = 'Host: self-test.fwkit.invalid\r\n';

/** Two bodies, one of them in chunks, and between them none: each must come, and the next request be heard of. */
async function tryReading(): Promise<boolean> {
  const pieces: (string | undefined)[] = [];
  const server = createServer();
  const wire = new Wire();
  server.emit('connection', wire);
  const isSound = new Promise<boolean>((resolve) => {
    server.on('request', (raw, out) => {
      const answer = (): void => {
        if (!raw.readableEnded || !raw.destroyed || !raw.closed) resolve(false);
        out.end(() => raw.url === '/last' && resolve(pieces.join() === 'ab,,c,d,'));
      };
      if (!isFresh(raw) || !hasFields(raw)) return resolve(false);
      if (raw.method === 'POST')
        takePieces(raw, (piece) => {
          pieces.push(piece?.toString());
          if (piece === null) answer();
        });
      else {
        endStream(raw);
        answer();
      }
      // Emitted by a stream that did not end.
      for (const event of ['data', 'end', 'close', 'error']) raw.on(event, () => resolve(false));
    });
  });
  wire.push(`POST / HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nab`);
  wire.push(`GET / HTTP/1.1\r\n${HOST}\r\n`);
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n1\r\nc\r\n1\r\nd\r\n0\r\n\r\n';
  wire.push(`POST /last HTTP/1.1\r\n${HOST}${chunked}`);
  try {
    return await isSound;
  } finally {
    wire.destroy();
  }
}

/** In memory, with a server and its parser. Not for the first request: it may wait for its route to be imported. */
export const readingSelfTest = new SelfTest(tryReading, 1);

const hasFields = ({ _dumped, _readableState: state }: IncomingMessage & Internals): boolean =>
  _dumped === false && state !== undefined && ENDED.every((field) => state[field] === false);

/** A connection whose client is here. */
class Wire extends Duplex {
  override _read(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, written: () => void): void {
    written();
  }
}
