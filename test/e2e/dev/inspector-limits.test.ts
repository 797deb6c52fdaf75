import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inspecting } from '../../harness/dev-page.js';
import { request, tcp } from '../../harness/http.js';
import { connectSocket } from '../../harness/socket.js';
import { module, route, sseRoute, wsModule } from '../../harness/source.js';

// The dev page shows unusual behavior of handlers correctly and stores only the part that it shows.

const PIECES = 60_000;
const files = {
  'api/logs.get.ts': route(`(req, res, ctx) => {
  const all = Array.from({ length: 12 }, () => ({}));
  for (const one of all) for (const [index, other] of all.entries()) one['to' + index] = other;
  ctx.logger.info(req.raw);
  ctx.logger.info('of a socket', req.raw.socket);
  ctx.logger.info({ all, at: new Date(0), bytes: Buffer.alloc(9), tokens: { a: 's3cret' } }, 'many');
  return 'logged';
}`),
  'api/lines.get.ts': route(
    '(req, res, ctx) => { for (let line = 1; line <= 120; line++) ctx.logger.info("line %d", line); return 1; }',
  ),
  'api/undefined.get.ts': route('get', '() => { throw undefined; }'),
  'api/rejects.get.ts': route('get', '() => Promise.reject()'),
  'api/minified.get.ts': route(
    `() => { ${'Math.max(1, 2);'.repeat(2_000)} throw new Error('it fails'); ${'Math.max(1, 2);'.repeat(2_000)} }`,
  ),
  'api/pieces.get.ts': module(
    'get',
    `import { Readable } from 'node:stream';
const pieces = function* () { for (let piece = 0; piece < ${PIECES}; piece++) yield 'x'; };
export default get(() => Readable.from(pieces(), { objectMode: false }));`,
  ),
  'api/page.get.ts': module(
    'get',
    `import { Readable } from 'node:stream';
export default get((req, res) => { res.type('text/html'); return Readable.from(['<p>', 'made</p>']); });`,
  ),
  'api/coded.get.ts': route(
    `(req, res) => { res.raw.setHeader('content-type', 'text/plain'); res.raw.write('6147', 'hex'); res.raw.end('6b3d', 'hex'); }`,
  ),
  'api/events.get.ts': sseRoute('async ({ send }) => { await send({ n: 1 }); }'),
  'api/upload.post.ts': route('post', '(req) => { req.body.resume(); return 1; }).meta({ body: "stream" }'),
  'api/never.get.ts': route('get', `() => { console.log('asked for ever'); return new Promise(() => {}); }`),
  'api/open.get.ts': sseRoute('async ({ send }) => { await send({ n: 1 }); return () => {}; }'),
  'api/heap.get.ts': module(
    'get',
    `import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');
export default get(() => { gc(); return process.memoryUsage().heapUsed; });`,
  ),
  'api/fine.get.ts': route('get', `() => 'fine'`),
  'public/note.txt': 'of a file',
  'ws/[room].ts': wsModule(
    '({ params, join, send, onMessage }) => { join(params.room); onMessage((text) => send(text)); }',
  ),
};
const test = suite('unusual requests on the dev page');
const { get, post, read, newest, made, server, save } = await inspecting(test, files);
const { url } = server;

const typed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const patient = () => ({ signal: AbortSignal.timeout(20_000) });
const MAX_BODY_BYTES = 2_097_152;

test('logs circular and large values as the terminal does, without secrets', async () => {
  // An app that did not answer any more would not get here.
  assert.is((await get('/api/logs')).json, 'logged');
  assert.is(await newest('lines', 1, 'text'), 'of a socket [Socket]');
  const many = String(await newest('lines', 2, 'text'));
  assert.match(many, /^many [\s\S]*'\[circular\]'/);
  assert.not.match(many, 's3cret');
});

test('counts log lines that it does not store', async () => {
  await get('/api/lines');
  assert.is(((await newest('lines')) as unknown[]).length, 50);
  assert.is(await newest('moreLines'), 70);
});

test('a thrown undefined is a failure, too', async () => {
  for (const path of ['/api/undefined', '/api/rejects']) {
    assert.is((await get(path)).status, 500);
    assert.is(await newest('error'), 'Thrown: undefined');
    assert.is(await read('/_fwk/state', 'failures', 0, 'where'), `GET ${path}`);
  }
});

test('shows the failing part of a long line', async () => {
  const { text } = await get('/api/minified', { accept: 'text/html' });
  assert.match(text, /<mark><i>2<\/i>….{20,400}<b>new Error\(&#39;it fails&#39;\).{20,400}…<\/b><\/mark>/);
  const rows = (await newest('failure', 'traces', 0, 'excerpt', 'rows')) as { text: string }[];
  assert.match(rows.map((row) => row.text).join('\n'), /…[^\n]*throw new Error\('it fails'\)[^\n]*…/);
});

test('shows the part of a long line that does not parse', async () => {
  const from = server.output.all.length;
  const text = made.read('api/minified.get.ts');
  made.write('api/minified.get.ts', text.replace('throw new', 'throw throw'));
  const [shown = ''] = await server.waitFor(/does not parse[\s\S]*\n.*\^/, from);
  assert.match(shown, /…[^\n]*throw throw Error[^\n]*…\n/);
  for (const row of shown.split('\n')) assert.ok(row.length < 400, `a row of ${row.length} characters`);
  const [marked = '', caret = ''] = shown.split('\n').slice(-2);
  assert.is(marked.slice(caret.indexOf('^')).slice(0, 5), 'throw');
  await save('api/minified.get.ts', text);
});

test('shows bodies that are sent in pieces, and marks bodies that it does not store', async () => {
  for (const [path, shown] of [
    ['/api/page', '<p>made</p>'],
    ['/api/coded', 'aGk='],
    ['/note.txt', 'of a file'],
    ['/api/events', 'data: {"n":1}\n\n'],
  ] as const) {
    await get(path);
    assert.is(await newest('answer', 'body', 'text'), shown, path);
  }
  await post('/api/upload', { a: 1 });
  assert.match(String(await newest('body', 'note')), 'It was not stored');
});

test('shows the route of a pending request and the head of a stream', async () => {
  const { port } = new URL(server.url);
  const asking = http.get({ host: 'localhost', port, path: '/api/never' }).on('error', () => {});
  await server.waitFor(/asked for ever/);
  assert.equal([await newest('route'), await newest('status')], ['GET /api/never', undefined]);
  assert.match(String(await newest('file')), 'api/never.get.ts');
  asking.destroy();
  const stream = await server.fetch('/api/open', { signal: AbortSignal.timeout(10_000) });
  const reader = stream.body?.getReader();
  await reader?.read();
  assert.equal([await newest('status'), await newest('duration')], [200, undefined]);
  assert.match(JSON.stringify(await newest('answer', 'headers')), 'text/event-stream');
  await reader?.cancel();
});

test('a body in many small pieces takes only the memory of its bytes', async () => {
  const before = Number((await get('/api/heap')).text);
  for (let count = 0; count < 5; count++) assert.is((await get('/api/pieces')).text.length, PIECES);
  assert.is(await newest('answer', 'body', 'bytes'), PIECES);
  const grown = Number((await get('/api/heap')).text) - before;
  assert.ok(grown < 20 * 5 * PIECES, `${grown} bytes are kept of ${5 * PIECES}`);
});

test('updates message counts live, and shows a part of many sockets and rooms', async () => {
  const peers = await Promise.all(
    Array.from({ length: 210 }, (_, index) => connectSocket(url, `/ws/room${index}`)),
  );
  const [peer] = peers;
  for (const text of ['a', 'b', 'c']) {
    peer?.send(text);
    assert.is(await peer?.next(), text);
  }
  const sockets = (await read('/_fwk/sockets', 'sockets')) as { target: string }[];
  const one = sockets.find(({ target }) => target === '/ws/room0');
  assert.match(JSON.stringify(one), '"received":3,"sent":3');
  assert.equal(await read('/_fwk/state', 'counts'), { sockets: 210, rooms: 210 });
  assert.is(sockets.length, 200);
  for (const open of peers) open.close();
});

test('rejects a body that is too long before it has arrived, also for a client that reads after sending', async () => {
  for (const path of ['/_fwk/call', '/_fwk/again', '/_fwk/mcp']) {
    const socket = await tcp(url);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const piece = `${(1_048_576).toString(16)}\r\n${'x'.repeat(1_048_576)}\r\n`;
    socket.pause();
    socket.write(head);
    for (let count = 0; count < 8; count++)
      await new Promise<void>((resolve, reject) =>
        socket.write(piece, (failure) => (failure ? reject(failure) : resolve())),
      );
    await new Promise<void>((resolve) => socket.end('0\r\n\r\n', resolve));
    socket.resume();
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes;
    });
    await once(socket, 'close');
    assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*"The body is longer than 2097152 bytes"/, path);
  }
});

test('sends 100 Continue to a client that waits for it', async () => {
  const { hostname, port } = new URL(url);
  const path = '/_fwk/call';
  const headers = { 'content-type': 'application/json', expect: '100-continue' };
  const asking = http.request({ hostname, port, path, method: 'POST', headers });
  asking.flushHeaders();
  await once(asking, 'continue', { signal: AbortSignal.timeout(10_000) });
  asking.end('{"path":"/api/lines"}');
  const [{ statusCode }] = (await once(asking, 'response')) as [http.IncomingMessage];
  assert.is(statusCode, 200);
  asking.destroy();
});

test('answers a host without a URL of its own', async () => {
  for (const host of ['a b', '', '[::1', 'x@y', 'localhost:99999']) {
    const { status, text, headers } = await request(url, '/_fwk/mcp', {
      method: 'POST',
      headers: { ...typed, host, connection: 'close' },
      body: list,
    });
    assert.equal([status, /"name":"routes"/.test(text)], [200, true], host);
    assert.is(headers.connection, 'close');
  }
});

test('rejects a body that is too long, or too deep, with a message', async () => {
  for (const path of ['/_fwk/call', '/_fwk/again', '/_fwk/mcp']) {
    // Announced alone: it does not have to come.
    const announced = await ask(url, path, [`Content-Length: ${MAX_BODY_BYTES + 1}`, '', '{']);
    assert.match(announced, /^HTTP\/1\.1 413 [\s\S]*"The body is longer than 2097152 bytes"/);
  }
  const levels = 500_000;
  const deep = `{"path":"/api/fine","body":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const { status, text } = await post('/_fwk/call', deep);
  assert.is(status, 400);
  assert.match(text, '"body\\" is nested too deeply to be sent');
});

test('keeps only the newest event streams open, and HEAD opens none', async () => {
  const page = await get('/api/undefined', { accept: 'text/html' });
  const [, version = ''] = /data-version="([^"]+)"/.exec(page.text) ?? [];
  for (const [path, most] of [
    ['/_fwk/events', 20],
    [`/.fwk/dev?${version}`, 100],
  ] as const) {
    const all = await Promise.all(Array.from({ length: 2 * most }, () => opened(url, path)));
    await atMost(all, most);
    // The newest stream is shown, so older ones were dropped.
    const last = await opened(url, path);
    await atMost(all, most - 1);
    assert.not(last.destroyed);
    for (const socket of [...all, last]) socket.destroy();
  }
  assert.is((await request(url, '/_fwk/events', { method: 'HEAD' })).status, 200);
});

/** Posts JSON; returns everything received until the server ends the connection. */
async function ask(url: string, path: string, lines: readonly string[]): Promise<string> {
  const socket = await tcp(url);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  // It need not read all that is sent.
  socket.on('error', () => {});
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  socket.write(head + lines.join('\r\n'));
  await once(socket, 'close', patient());
  return answer;
}

/** A stream whose head has arrived and whose body is not read. */
async function opened(url: string, path: string): Promise<net.Socket> {
  const socket = await tcp(url);
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(socket, 'data', patient());
  return socket;
}

/** Waits until the server has ended all of these but `most`. */
async function atMost(sockets: readonly net.Socket[], most: number): Promise<void> {
  const open = () => sockets.filter(({ destroyed }) => !destroyed);
  while (open().length > most) await Promise.race(open().map((socket) => once(socket, 'close', patient())));
}

test.run();
