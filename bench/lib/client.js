/**
 * The load: connections that send one request, await its response and send the next. What a response looks like is
 * learned from the first one to each request; from then on bytes are counted and the status line is compared, because
 * a client that parses is slower than the servers it measures.
 */
import { createConnection } from 'node:net';
import { exchange } from './exchange.js';

process.on('message', async ({ port, requests, status, connections, seconds }) => {
  const sizes = [];
  for (const request of requests) sizes.push((await exchange(port, request)).length);
  process.send(await load({ port, requests, sizes, status, connections, seconds }));
});
process.on('disconnect', () => process.exit(0));

function load({ port, requests, sizes, status, connections, seconds }) {
  const texts = requests.map((request) => Buffer.from(request));
  const expected = Buffer.from(String(status));
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let stopped = false;
    let open = connections;
    let done = 0;
    const timer = setTimeout(() => {
      stopped = true;
    }, seconds * 1000);
    const fail = (error) => {
      clearTimeout(timer);
      stopped = true;
      reject(error);
    };

    for (let index = 0; index < connections; index += 1) {
      let turn = index % texts.length;
      let missing = 0;
      const send = () => {
        missing = sizes[turn];
        socket.write(texts[turn]);
        turn = turn + 1 === texts.length ? 0 : turn + 1;
      };
      const received = (count, bytes) => {
        if (missing === sizes.at(turn - 1) && !isStatus(bytes, expected))
          return fail(new Error(`port ${port} answered ${bytes.latin1Slice(0, count)}`));
        missing -= count;
        if (missing > 0) return;
        if (missing < 0) return fail(new Error(`port ${port} sent more than one response`));
        done += 1;
        if (!stopped) return send();
        socket.destroy();
        open -= 1;
        if (open === 0) resolve({ done, elapsed: (performance.now() - start) / 1000 });
      };
      const onread = { buffer: Buffer.allocUnsafe(16_384), callback: received };
      const socket = createConnection({ port, host: '127.0.0.1', noDelay: true, onread });
      socket.on('error', fail);
      socket.on('end', () => fail(new Error(`port ${port} closed a connection`)));
      socket.once('connect', send);
    }
  });
}

/** Compares the three digits behind `HTTP/1.1 `. */
const isStatus = (bytes, expected) =>
  bytes[9] === expected[0] && bytes[10] === expected[1] && bytes[11] === expected[2];
