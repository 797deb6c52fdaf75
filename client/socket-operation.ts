import type { In, Out } from '../plugins/http/contract.js';
import { parsed } from './events.js';
import type { AnyFields, Jsonify, PathParams, SocketFields } from './operation.js';

/** All that the client has to know of a socket. */
export interface SocketOperation {
  readonly params: unknown;
  readonly query: unknown;
  readonly sent: unknown;
  readonly received: unknown;
}

/** The operation behind the member `ws` of a path. */
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

/** A socket, as the client uses it: that of browsers, of Node from version 22, and of the package `ws`. */
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
 * A connection to a file under `ws/`. Iterating gives its messages, those first that came before; the loop ends when the
 * connection does. It does not connect again by itself.
 */
export interface ClientSocket<Sent, Received> extends AsyncIterable<Received> {
  /** The socket itself: `raw.addEventListener('close', …)` tells code and reason. */
  readonly raw: SocketLike;
  /** Sends a message as JSON. Before the connection is open it is kept; after its end it is dropped. */
  send(message: Sent): void;
  /** Close the connection. Browsers take 1000 and 3000 to 4999 as `code`, and throw for others. */
  close(code?: number, reason?: string): void;
}

/** The connection of `raw`, whose messages are kept until they are iterated. */
export function socketOf(raw: SocketLike): ClientSocket<unknown, unknown> {
  const messages: unknown[] = [];
  let isOver = false;
  let wake = () => {};
  let changed: Promise<void>;
  const change = () => {
    wake();
    changed = new Promise((resolve) => {
      wake = resolve;
    });
  };
  change();
  raw.addEventListener('message', ({ data }) => {
    messages.push(typeof data === 'string' ? parsed(data) : data);
    change();
  });
  raw.addEventListener('close', () => {
    isOver = true;
    change();
  });
  // What follows is the close; an error that nobody listens for ends the process, with some sockets.
  raw.addEventListener('error', () => {});
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
        while (messages.length) yield messages.shift();
        if (isOver) return;
        await changed;
      }
    },
  };
}
