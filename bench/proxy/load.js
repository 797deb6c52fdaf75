/**
 * Clients of a proxy, in a process of their own: they ask until they are told to stop, and say what became of each request.
 * What fails is told with its time, so that it can be compared with what was done to the backends meanwhile.
 */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

const { URL: BASE, CA } = process.env;
const ca = Buffer.from(CA, 'base64');
const UPLOAD = Buffer.alloc(200_000, 'x');
const MESSAGES = 20;
const BURST = 24;
/** Milliseconds after which a request counts as one that hangs. */
const PATIENCE = 30_000;
const agent = new Agent({ keepAlive: true, ca, servername: 'localhost' });

const counts = {};
const orders = [];
const add = (kind, what) => {
  counts[kind] ??= { ok: 0, ended: 0, failed: 0 };
  counts[kind][what] += 1;
};
let nextId = 0;
let session;
let isOver = false;
process.once('message', () => {
  isOver = true;
});

const KINDS = {
  get: async () => expectStatus(await ask('GET', '/api/hello')),
  post: () => order((body) => ask('POST', '/api/orders', JSON.stringify(body))),
  upload: async () => {
    const answer = expectStatus(await ask('POST', '/api/files', UPLOAD, 'application/octet-stream'));
    if (JSON.parse(answer.text).bytes !== UPLOAD.length) throw new Error(`answered ${answer.text}`);
  },
  // A stream that a worker has ended is whole for HTTP, and its client connects again.
  sse: async () => {
    const { text } = expectStatus(await ask('GET', '/api/ticks'));
    return text.match(/^data:/gm)?.length === 10 ? 'ok' : 'ended';
  },
  ws: talk,
  'h2 get': async () => expectStatus(await askHttp2('GET', '/api/hello')),
  'h2 post': () => order((body) => askHttp2('POST', '/api/orders', JSON.stringify(body))),
};
const CLIENTS = { get: 4, post: 6, upload: 1, sse: 2, ws: 2, 'h2 get': 1, 'h2 post': 2 };

await Promise.all([
  ...Object.entries(CLIENTS).flatMap(([kind, number]) => Array.from({ length: number }, () => again(kind))),
  bursts(),
]);
process.send({ counts, orders }, () => process.exit(0));

async function again(kind) {
  while (!isOver) {
    await attempt(kind);
    await sleep(Math.random() * 120);
  }
}

/** Many at once, seldom: the proxy opens connections for them, which then are idle for long. */
async function bursts() {
  while (!isOver) {
    await Promise.all(Array.from({ length: BURST }, () => attempt('post')));
    await sleep(1_000 + Math.random() * 4_000);
  }
}

async function attempt(kind) {
  const begun = Date.now();
  try {
    const what = await KINDS[kind]();
    add(kind, what === 'ended' ? what : 'ok');
  } catch (thrown) {
    add(kind, 'failed');
    process.send({ failure: { kind, begun, ended: Date.now(), what: thrown.message } });
  }
}

async function order(send) {
  const id = `${process.pid}-${nextId++}`;
  const pause = Math.random() < 0.1 ? Math.round(Math.random() * 500) : 0;
  const { text } = expectStatus(await send({ id, pause }));
  if (JSON.parse(text).id !== id) throw new Error(`answered to another: ${text}`);
  orders.push(id);
}

function expectStatus(answer) {
  if (answer.status === 200) return answer;
  throw new Error(`${answer.status} ${answer.text.slice(0, 80).replaceAll(/\s+/g, ' ')}`);
}

function ask(method, path, body, type = 'application/json') {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const out = request(BASE + path, { method, headers, agent, timeout: PATIENCE }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', (cause) => reject(new Error(`cut off: ${cause.message}`)));
    });
    out.on('timeout', () => out.destroy(new Error('hangs')));
    out.on('error', reject);
    out.end(body);
  });
}

async function askHttp2(method, path, body) {
  if (session === undefined || session.closed || session.destroyed) {
    const made = connectHttp2(BASE, { ca, servername: 'localhost' });
    session = made;
    // The proxy closes one after so many requests: what is under way is answered.
    made.on('goaway', () => made.close()).on('error', () => {});
  }
  const own = session;
  const stream = own.request({ ':method': method, ':path': path, 'content-type': 'application/json' });
  stream.setTimeout(PATIENCE, () => stream.destroy(new Error('hangs')));
  let status = 0;
  stream.on('response', (headers) => {
    status = headers[':status'];
  });
  stream.end(body);
  let text = '';
  try {
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  } catch (thrown) {
    // It came when the proxy had begun to close the connection, and was not begun: clients send it again (RFC 9113 §8.7).
    if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM || !own.closed) throw thrown;
    return askHttp2(method, path, body);
  }
  return { status, text };
}

async function talk() {
  const socket = new WebSocket(`${BASE.replace('https', 'wss')}/ws/echo`, { ca, handshakeTimeout: PATIENCE });
  const closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)));
  await once(socket, 'open');
  for (let message = 0; message < MESSAGES; message += 1) {
    const answer = new Promise((resolve) => socket.once('message', resolve));
    socket.send(String(message));
    const came = await Promise.race([answer, closed]);
    if (typeof came === 'number') {
      if (came === 1001) return 'ended';
      throw new Error(`closed with ${came}`);
    }
    if (String(came) !== String(message)) throw new Error(`answered ${came}`);
    await sleep(50);
  }
  socket.close();
  await closed;
}
