import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The fields of Node's responses that are read. A head is one byte for each character. */
interface Internals {
  readonly _header?: string | null;
  readonly _sent100?: boolean;
}

const CONTINUE_BYTES = 'HTTP/1.1 100 Continue\r\n\r\n'.length;

/** The count of the response whose turn it is on a connection. */
const CURRENT = Symbol('fwkit.sent');

interface Counted extends Socket {
  [CURRENT]?: SentBytes | undefined;
}

/**
 * Counts the bytes of one response's body as the connection does, which costs two reads of its counter: whatever wrote them,
 * coded, with the framing of chunks, as nginx counts `$body_bytes_sent`. Make it when the request begins.
 */
export class SentBytes {
  readonly #out: ServerResponse & Internals;
  readonly #had100: boolean;
  #from: number | undefined;
  #to: number | undefined;

  constructor(out: ServerResponse & Internals) {
    this.#out = out;
    this.#had100 = out._sent100 === true;
    if (out.socket !== null) this.#begin(out.socket);
    // Others are before it on the connection.
    else out.once('socket', (socket: Socket) => this.#begin(socket));
  }

  /** How many there are, when it has ended; undefined where nobody counts: the connection is in memory, say. Call it once. */
  end(): number | undefined {
    const socket: Counted = this.#out.req.socket;
    // A connection is kept for long, and what was said on it is not.
    if (socket[CURRENT] === this) socket[CURRENT] = undefined;
    const to = this.#to ?? socket.bytesWritten;
    const head = this.#out._header;
    if (head === undefined || to === undefined) return undefined;
    // Nothing was sent: its turn has not come, or its client has gone before.
    if (head === null || this.#from === undefined) return 0;
    const informational = this.#out._sent100 === true && !this.#had100 ? CONTINUE_BYTES : 0;
    return Math.max(0, to - this.#from - informational - head.length);
  }

  #begin(socket: Counted): void {
    this.#from = socket.bytesWritten;
    const before = socket[CURRENT];
    // Its end is heard of when this one may have been written.
    if (before) before.#to ??= this.#from;
    socket[CURRENT] = this;
  }
}
