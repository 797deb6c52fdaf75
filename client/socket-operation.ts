import type { In, Out } from '../plugins/http/contract.js';
import { parsed } from './events.js';
import type { AnyFields, Jsonify, PathParams, SocketFields } from './operation.js';

/** The type of a socket for the client. */
export interface SocketOperation {
  readonly params: unknown;
  readonly query: unknown;
  readonly sent: unknown;
  readonly received: unknown;
}

/** The operation for the member `ws` of a path. */
export type SocketOperationOf<E, Path> = E extends SocketOperation
  ? E
  : E extends {
        readonly '~socket'?: {
          readonly params: infer P;
          readonly query: infer Q;
          readonly receive: infer R;
          readonly send: infer S;
        };
      }
    ? {
        readonly params: SocketFields<P, PathParams<Path>>;
        readonly query: SocketFields<Q, AnyFields | undefined>;
        readonly sent: In<R>;
        readonly received: [S] extends [never] ? unknown : Jsonify<Out<S>>;
      }
    : never;

/** A socket, as the client uses it: the WebSocket of browsers, of Node from version 22, or of the package `ws`. */
export interface SocketLike {
  /** 0 until the connection is open. */
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

/**
 * A connection to a file under `ws/`. Iterating yields its messages, including buffered ones; the loop ends
 * when the connection does. It does not reconnect automatically.
 */
export interface ClientSocket<Sent, Received> extends AsyncIterable<Received> {
  /** The socket itself: `raw.addEventListener('close', …)` gets the close code and reason. */
  readonly raw: SocketLike;
  /** Sends a message as JSON. Messages are buffered until the connection is open, and dropped after it has ended. */
  send(message: Sent): void;
  /** Close the connection. Browsers accept 1000 and 3000 to 4999 as `code`, and throw for other codes. */
  close(code?: number, reason?: string): void;
}

/** The connection of `raw`, whose messages are buffered until they are iterated. */
export function socketOf(raw: SocketLike): ClientSocket<unknown, unknown> {
  const messages = new ReadableStream({
    start(queue) {
      raw.addEventListener('message', ({ data }) =>
        queue.enqueue(typeof data === 'string' ? parsed(data) : data),
      );
      raw.addEventListener('close', () => queue.close());
      // A close event follows. With some sockets, an error without a listener would end the process.
      raw.addEventListener('error', () => {});
    },
  }).getReader();
  return {
    raw,
    send(message) {
      const text = JSON.stringify(message);
      if (raw.readyState) raw.send(text);
      else raw.addEventListener('open', () => raw.send(text));
    },
    close: (code, reason) => raw.close(code, reason),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const { done, value } = await messages.read();
        if (done) return;
        yield value;
      }
    },
  };
}
