/**
 * Clients with keep-alive connections: half of them send the next request immediately, half pause first. After
 * `Connection: close` they open a new connection, until the server refuses connections. Prints `busy` when each client
 * has received a response, and the result of all requests at the end.
 */
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const { PORT, PAUSE, FRESH, CONNECTIONS } = process.env;
/** With FRESH, each request uses a new connection. */
const REQUEST = `GET /api/hello HTTP/1.1\r\nHost: localhost\r\n${FRESH ? 'Connection: close\r\n' : ''}\r\n`;
const count = { answered: 0, refused: 0, lostKept: 0, lostNew: 0 };
let waiting = Number(CONNECTIONS);

await Promise.all(
  Array.from({ length: waiting }, async (_, index) => {
    const pause = index % 2 === 0 ? 0 : Number(PAUSE);
    let isFirst = true;
    const onResponse = () => {
      if (isFirst) waiting -= 1;
      if (isFirst && waiting === 0) process.send('busy');
      isFirst = false;
    };
    while (await useConnection(pause, onResponse));
  }),
);
process.send(count, () => process.exit(0));

/** Sends requests over one connection until it closes. Resolves with true if the server accepted the connection. */
function useConnection(pause, onResponse) {
  return new Promise((resolve) => {
    const socket = createConnection(Number(PORT), '127.0.0.1');
    let answers = 0;
    let isTaken = false;
    let isWaiting = false;
    let text = '';
    const sendRequest = () => {
      if (socket.destroyed) return;
      isWaiting = true;
      socket.write(REQUEST);
    };
    socket.setEncoding('latin1').setNoDelay(true);
    socket.on('connect', () => {
      isTaken = true;
      sendRequest();
    });
    socket.on('data', async (chunk) => {
      text += chunk;
      const [head, body] = text.split('\r\n\r\n');
      if (body === undefined || body.length < Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0))
        return;
      text = '';
      isWaiting = false;
      answers += 1;
      count[head.startsWith('HTTP/1.1 200 ') ? 'answered' : 'refused'] += 1;
      onResponse();
      if (/^connection: close$/im.test(head)) return;
      if (pause > 0) await sleep(Math.random() * pause);
      sendRequest();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (isWaiting) count[answers === 0 ? 'lostNew' : 'lostKept'] += 1;
      resolve(isTaken);
    });
  });
}
