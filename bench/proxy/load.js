/**
 * Clients of a proxy, in a separate process: they send requests until they are stopped, and report the result of each
 * request. Failures include their time, to compare them with the events of the backends.
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
/** Milliseconds after which a request counts as hanging. */
const TIMEOUT_MS = 30_000;
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
  get: async () => expectStatus(await sendRequest('GET', '/api/hello')),
  post: () => order((body) => sendRequest('POST', '/api/orders', JSON.stringify(body))),
  upload: async () => {
    const answer = expectStatus(await sendRequest('POST', '/api/files', UPLOAD, 'application/octet-stream'));
    if (JSON.parse(answer.text).bytes !== UPLOAD.length) throw new Error(`responded with ${answer.text}`);
  },
  // HTTP treats a stream that a worker ended as complete; its client reconnects.
  sse: async () => {
    const { text } = expectStatus(await sendRequest('GET', '/api/ticks'));
    return text.match(/^data:/gm)?.length === 10 ? 'ok' : 'ended';
  },
  ws: talk,
  'h2 get': async () => expectStatus(await sendHttp2Request('GET', '/api/hello')),
  'h2 post': () => order((body) => sendHttp2Request('POST', '/api/orders', JSON.stringify(body))),
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

/** Sends rare bursts: the proxy opens connections for them, which then stay idle for a long time. */
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
  if (JSON.parse(text).id !== id) throw new Error(`received the response to another request: ${text}`);
  orders.push(id);
}

function expectStatus(answer) {
  if (answer.status === 200) return answer;
  throw new Error(`${answer.status} ${answer.text.slice(0, 80).replaceAll(/\s+/g, ' ')}`);
}

function sendRequest(method, path, body, type = 'application/json') {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const out = request(BASE + path, { method, headers, agent, timeout: TIMEOUT_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
      response.on('error', (cause) => reject(new Error(`cut off: ${cause.message}`)));
    });
    out.on('timeout', () => out.destroy(new Error('timeout')));
    out.on('error', reject);
    out.end(body);
  });
}

async function sendHttp2Request(method, path, body) {
  if (session === undefined || session.closed || session.destroyed) {
    const made = connectHttp2(BASE, { ca, servername: 'localhost' });
    session = made;
    // The proxy closes a connection after a number of requests, but still answers the requests in progress.
    made.on('goaway', () => made.close()).on('error', () => {});
  }
  const own = session;
  const stream = own.request({ ':method': method, ':path': path, 'content-type': 'application/json' });
  stream.setTimeout(TIMEOUT_MS, () => stream.destroy(new Error('timeout')));
  let status = 0;
  stream.on('response', (headers) => {
    status = headers[':status'];
  });
  stream.end(body);
  let text = '';
  try {
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  } catch (thrown) {
    // The proxy was closing the connection and hasn't processed this request, so clients may retry it (RFC 9113 §8.7).
    if (stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM || !own.closed) throw thrown;
    return sendHttp2Request(method, path, body);
  }
  return { status, text };
}

async function talk() {
  const socket = new WebSocket(`${BASE.replace('https', 'wss')}/ws/echo`, {
    ca,
    handshakeTimeout: TIMEOUT_MS,
  });
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
    if (String(came) !== String(message)) throw new Error(`responded with ${came}`);
    await sleep(50);
  }
  socket.close();
  await closed;
}
