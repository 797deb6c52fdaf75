import { createServer, type ServerResponse } from 'node:http';
import { atExit } from './cleanup.js';
import { listening } from './http.js';
import { withPatience } from './patience.js';

/** Something that code under test waits at: `await fetch(url)` there ends when the test opens. */
export interface Gate {
  readonly url: string;
  /** Resolves when somebody waits. */
  reached(): Promise<void>;
  /** Lets through who waits. */
  open(): void;
  close(): void;
}

export async function gate(): Promise<Gate> {
  const waiting: ServerResponse[] = [];
  let arrived = () => {};
  const server = createServer((_req, res) => {
    waiting.push(res);
    arrived();
  });
  const url = `${await listening(server)}/`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  atExit(close);
  return {
    url,
    reached: () =>
      withPatience(
        new Promise((resolve) => {
          arrived = resolve;
          if (waiting.length > 0) resolve();
        }),
        (limit) => new Error(`Nobody came to the gate in ${limit} ms.`),
      ),
    open() {
      for (const res of waiting.splice(0)) res.end('open');
    },
    close,
  };
}
