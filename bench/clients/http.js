/**
 * Plain HTTP: connections that send one request, await its response and send the next. What a response looks like is
 * learned from the first one to each request; from then on bytes are counted and the status line is compared, because
 * a client that parses is slower than the servers it measures.
 */
import { createConnection } from 'node:net';
import { exchange } from '../lib/exchange.js';

/** What every subject has to answer alike: the body to the byte, and the headers that mean something to a client. */
export async function sample(port, { requests, status }) {
  const answers = await Promise.all(requests.map((request) => exchange(port, request)));
  const odd = answers.find((answer) => answer.status !== status);
  if (odd) throw new Error(`port ${port} answers ${odd.status} instead of ${status}: ${odd.body}`);
  return answers.map(({ body, headers }) => ({
    body,
    // `charset` says nothing of JSON (RFC 8259 §11), and its letters' case nothing of text.
    type: headers['content-type']?.split(';', 1)[0].toLowerCase(),
    // Names of attributes are equal in any case (RFC 6265 §5.2), and so is the value of SameSite.
    cookie: headers['set-cookie']
      ?.split('; ')
      .map((part, index) => (index === 0 ? part : part.toLowerCase()))
      .sort(),
    // A length may be told, or chunks sent instead; one that is told has to be right, or nothing comes to an end.
    validators: ['etag', 'last-modified'].filter((name) => name in headers),
    keepsAlive: headers.connection?.toLowerCase() !== 'close',
  }));
}

export async function load(port, { requests, status }, { connections, seconds }) {
  const sizes = [];
  for (const request of requests) sizes.push((await exchange(port, request)).size);
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
