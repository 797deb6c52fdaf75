import { once } from 'node:events';
import { createConnection } from 'node:net';

/**
 * Opens one connection for each queue of requests `{ text, size }`. On `run`, every connection sends one request, waits
 * for its response and sends the next, and starts again at the end of its queue. The client only counts bytes up to the
 * response's `size` and compares the status line, because a client that parses responses would be slower than the
 * servers that it measures.
 */
export async function openConnections(port, queues, status) {
  const expected = Buffer.from(String(status));
  const lines = queues.map((queue) => new Line(port, queue, expected));
  await Promise.all(lines.map((line) => once(line.socket, 'connect')));
  return async (seconds) => {
    const start = performance.now();
    const until = start + seconds * 1000;
    const counts = await Promise.all(lines.map((line) => line.run(until)));
    return {
      done: counts.reduce((sum, count) => sum + count, 0),
      elapsed: (performance.now() - start) / 1000,
    };
  };
}

class Line {
  #queue;
  #expected;
  #turn = 0;
  /** Bytes of the response that haven't arrived yet. */
  #missing = 0;
  #done = 0;
  #until;
  #end;

  constructor(port, queue, expected) {
    this.#queue = queue;
    this.#expected = expected;
    const buffer = Buffer.allocUnsafe(16_384);
    const callback = (count, bytes) => this.#received(count, bytes);
    this.socket = createConnection({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
  }

  /** Resolves with the number of complete responses. */
  run(until) {
    this.#until = until;
    return new Promise((resolve, reject) => {
      this.#end = { resolve, reject };
      this.socket.on('error', reject);
      this.socket.on('end', () => reject(new Error(`port ${this.socket.remotePort} closed a connection`)));
      this.#send();
    });
  }

  #send() {
    const { text, size } = this.#queue[this.#turn];
    this.#missing = size;
    this.socket.write(text);
  }

  #received(count, bytes) {
    const { size } = this.#queue[this.#turn];
    if (this.#missing === size && !isStatus(bytes, this.#expected))
      return this.#fail(`responded with ${bytes.latin1Slice(0, count)}`);
    this.#missing -= count;
    if (this.#missing > 0) return;
    if (this.#missing < 0) return this.#fail('sent more than one response');
    this.#done += 1;
    this.#turn = this.#turn + 1 === this.#queue.length ? 0 : this.#turn + 1;
    if (performance.now() < this.#until) return this.#send();
    this.socket.destroy();
    this.#end.resolve(this.#done);
  }

  #fail(what) {
    this.#end.reject(new Error(`port ${this.socket.remotePort} ${what}`));
  }
}

/** Compares the three digits after `HTTP/1.1 `. */
const isStatus = (bytes, expected) =>
  bytes[9] === expected[0] && bytes[10] === expected[1] && bytes[11] === expected[2];
