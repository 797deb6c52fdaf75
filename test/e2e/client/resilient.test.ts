import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type * as published from '../../../client/resilient.js';
import { type AnyClient, data, entryFile, rejected, untyped } from '../../harness/client.js';
import { dev } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { checked } from '../http/validation-project.js';

type Extra = published.ResilientCallOptions & {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};
type Answer = (req: IncomingMessage, res: ServerResponse) => unknown;

const { createResilientClient } = (await import(
  pathToFileURL(entryFile('resilient')).href
)) as typeof published;

/** The requests of a test, and the responses that the server gives in order; the last one repeats. */
let answers: Answer[] = [];
let requests: { method: string; body: string; at: number }[] = [];
const server = createServer(async (req, res) => {
  requests.push({ method: req.method ?? '', body: await text(req), at: performance.now() });
  ((answers.length > 1 ? answers.shift() : answers[0]) ?? (() => res.end()))(req, res);
});
server.listen(0);
await once(server, 'listening');
const url = `http://localhost:${(server.address() as AddressInfo).port}`;

const status =
  (code: number, headers = {}): Answer =>
  (_req, res) =>
    res.writeHead(code, { 'content-type': 'application/json', ...headers }).end(`{"message":"${code}"}`);
const lost: Answer = (req) => req.socket.destroy();
const cut: Answer = (req, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{');
  setImmediate(() => req.socket.destroy());
};
const hang: Answer = () => {};

/** The status code of a call, and the number of its requests. */
async function outcome(
  name: 'get' | 'post' | 'del',
  options: Extra,
  ...given: Answer[]
): Promise<[number, number]> {
  answers = given;
  requests = [];
  const api = untyped(createResilientClient(url)) as AnyClient;
  const { status } = await api('/x')[name](options as never);
  return [status, requests.length];
}

const test = suite('a resilient client');

test('repeats safe calls after a failure that may pass', async () => {
  for (const code of [408, 429, 502, 503, 504])
    assert.equal(await outcome('get', {}, status(code), status(200)), [200, 2], `${code}`);
  assert.equal(await outcome('get', {}, lost, cut, status(200)), [200, 3]);
  assert.equal(await outcome('get', {}, status(503)), [503, 3]);
  for (const code of [400, 404, 500])
    assert.equal(await outcome('get', {}, status(code)), [code, 1], `${code}`);
});

test('repeats other calls if they ask for it, or have an idempotency key', async () => {
  const twice = [status(503), status(200)];
  assert.equal(await outcome('post', { body: { a: 1 } }, ...twice), [503, 1]);
  assert.equal(await outcome('del', {}, ...twice), [503, 1]);
  assert.equal(await outcome('post', { body: { a: 1 }, retries: 1 }, ...twice), [200, 2]);
  assert.equal(
    requests.map(({ body }) => body),
    ['{"a":1}', '{"a":1}'],
  );
  assert.equal(await outcome('post', { headers: { 'Idempotency-Key': 'k' } }, ...twice), [200, 2]);
  assert.equal(await outcome('get', { retries: 0 }, ...twice), [503, 1]);
  const body = new Blob(['once']).stream();
  assert.equal(await outcome('post', { body, retries: 3 }, ...twice), [503, 1], 'a stream is read once');
});

test('waits as long as the server asks for, up to half a minute', async () => {
  assert.equal(await outcome('get', {}, status(429, { 'retry-after': '1' }), status(200)), [200, 2]);
  const [first, second] = requests;
  const waited = (second?.at ?? 0) - (first?.at ?? 0);
  assert.ok(waited >= 1000, `${waited} ms`);
  assert.equal(await outcome('get', {}, status(503, { 'retry-after': '31' })), [503, 1]);
});

test('a timeout limits each attempt, and a signal all of them', async () => {
  const api = untyped(createResilientClient(url, { timeout: 50, retries: 1 }));
  answers = [hang];
  requests = [];
  assert.is((await rejected(api('/x').get())).name, 'TimeoutError');
  assert.is(requests.length, 2);
  answers = [hang, status(200)];
  assert.is((await api('/x').get()).status, 200);
  // Waits for the first response, and aborts while the client waits for its second attempt.
  answers = [status(503)];
  requests = [];
  const leave = new AbortController();
  const call = rejected(api('/x').get({ retries: 9, signal: leave.signal } as never));
  while (requests.length < 2) await once(server, 'request');
  leave.abort(new Error('left'));
  assert.is((await call).message, 'left');
});

test('an invalid call fails at once', async () => {
  requests = [];
  const before = performance.now();
  assert.is((await rejected(untyped(createResilientClient(url))('/x/:id').get())).name, 'TypeError');
  const progress = { body: 'x', retries: 5, onUploadProgress: () => {} } as never;
  assert.match(
    (await rejected(untyped(createResilientClient(url))('/x').post(progress))).message,
    /onUploadProgress/,
  );
  assert.is(requests.length, 0);
  assert.ok(performance.now() - before < 200);
});

test('raw calls retry, too', async () => {
  answers = [status(503), status(200)];
  const response = await untyped(createResilientClient(url)).raw('/x').get();
  assert.equal([response.status, await response.json()], [200, { message: '200' }]);
});

test.after(() => {
  server.closeAllConnections();
  server.close();
});
test.run();

const made = project(
  {
    'api/ticks.get.ts': checked(
      'sse',
      '{}',
      `async ({ send, lastEventId = '0', signal }) => {
        const next = Number(lastEventId) + 1;
        console.log('[from ' + next + ']');
        await send(next, { id: String(next), retry: 20 });
        if (next % 2) await send(next + 1, { id: String(next + 1) });
      }`,
    ),
    'api/until.get.ts': checked(
      'get, error',
      '{}',
      `(req, res) => {
        const last = req.header('last-event-id');
        if (last === 'end') return undefined;
        if (last === 'no') return error(410, 'gone');
        res.type('text/event-stream').send('retry:5\\nid: ' + req.query.id + '\\ndata: 1\\n\\n');
      }`,
    ),
  },
  'js',
);
linkLibraries(made);
const app = await dev(made);
const api = untyped(createResilientClient(app.url));

const streams = suite('streams that reconnect');

const ids = async (call: Promise<object>, enough: number): Promise<string[]> => {
  const found: string[] = [];
  for await (const event of (await data(call as never)) as AsyncIterable<{ id: string }>)
    if (found.push(event.id) === enough) break;
  return found;
};

streams('continue after the last event, until the loop is left', async () => {
  const from = app.output.mark();
  assert.equal(await ids(api('/api/ticks').get({ reconnect: true } as never), 5), ['1', '2', '3', '4', '5']);
  await app.waitFor(/\[from 1\].*\[from 3\].*\[from 5\]/s, from);
  assert.equal(await ids(api('/api/ticks').get(), 5), ['1', '2'], 'without the option, they end');
});

streams('end with a 204, and throw for an error or an abort', async () => {
  const read = (id: string, signal?: AbortSignal) =>
    ids(api('/api/until').get({ query: { id }, reconnect: true, signal } as never), 3);
  assert.equal(await read('end'), ['end']);
  assert.is((await rejected(read('no'))).status, 410);
  const leave = new AbortController();
  const endless = rejected(read('x', AbortSignal.any([leave.signal])));
  leave.abort(new Error('left'));
  assert.is((await endless).message, 'left');
});

streams.after(async () => void (await app.stop()));
streams.run();
