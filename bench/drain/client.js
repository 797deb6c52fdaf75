/**
 * Clients with kept connections: half of them send the next request at once, half pause before. After `Connection:
 * close` they open another connection, until that is refused. Prints `busy` when each has had a response, and the
 * result of all requests at the end.
 */
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const { PORT, PAUSE, FRESH, CONNECTIONS } = process.env;
/** With FRESH, each request has its own connection. */
const REQUEST = `GET /api/hello HTTP/1.1\r\nHost: localhost\r\n${FRESH ? 'Connection: close\r\n' : ''}\r\n`;
const count = { answered: 0, refused: 0, lostKept: 0, lostNew: 0 };
let unanswered = Number(CONNECTIONS);

await Promise.all(
  Array.from({ length: unanswered }, async (_, index) => {
    const pause = index % 2 === 0 ? 0 : Number(PAUSE);
    let isFirst = true;
    const answered = () => {
      if (isFirst) unanswered -= 1;
      if (isFirst && unanswered === 0) process.send('busy');
      isFirst = false;
    };
    while (await converse(pause, answered));
  }),
);
process.send(count, () => process.exit(0));

/** Ask over one connection until it ends. Resolves with whether the server took it. */
function converse(pause, answered) {
  return new Promise((resolve) => {
    const socket = createConnection(Number(PORT), '127.0.0.1');
    let answers = 0;
    let isTaken = false;
    let isWaiting = false;
    let text = '';
    const ask = () => {
      if (socket.destroyed) return;
      isWaiting = true;
      socket.write(REQUEST);
    };
    socket.setEncoding('latin1').setNoDelay(true);
    socket.on('connect', () => {
      isTaken = true;
      ask();
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
      answered();
      if (/^connection: close$/im.test(head)) return;
      if (pause > 0) await sleep(Math.random() * pause);
      ask();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (isWaiting) count[answers === 0 ? 'lostNew' : 'lostKept'] += 1;
      resolve(isTaken);
    });
  });
}
