import { parsed } from './events.js';
import type { ClientSocket, SocketLike } from './socket-operation.js';

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
