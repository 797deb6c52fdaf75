import type { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch } from '../../harness/fwk.js';
import { connect, request, tcp } from '../../harness/http.js';
import { bin } from '../../harness/installed.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { SLOW_START } from '../../harness/slow-start.js';
import { route } from '../../harness/source.js';

const files = {
  'api/stuck/[what].all.ts': route(
    'all',
    `(req) => { const held = (globalThis.held ??= {}); const { what } = req.params; const begun = (globalThis.begun ??= {}); begun[what] = (begun[what] ?? 0) + 1; held[what] ??= (() => { const made = {}; made.promise = new Promise((resolve) => { made.resolve = resolve; }); return made; })(); return held[what].promise; }`,
  ),
  'api/go/[what].post.ts': route('post', '(req) => { globalThis.held[req.params.what].resolve(1); }'),
  'api/begun/[what].ts': route('get', '(req) => globalThis.begun?.[req.params.what] ?? 0'),
  'api/alive.ts': route('get', '() => true'),
};

const test = suite('pipelines');
const site = await production(files);
test.after(() => site.stop());

/** A connection that the server cuts may end in an error. */
const closing = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

test('answers only a few pipelined requests at once, because the other responses would wait in memory', async () => {
  const socket = await tcp(site.url);
  socket.setEncoding('latin1');
  let text = '';
  socket.on('data', (piece: string) => {
    text += piece;
  });
  socket.write('GET /api/stuck/few HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200));
  let begun = 0;
  while (begun < 17) begun = (await request(site.url, '/api/begun/few')).json as number;
  assert.is(begun, 17);
  socket.write('GET /api/alive HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await request(site.url, '/api/go/few', { method: 'POST' });
  await closing(socket);
  assert.is(text.split('HTTP/1.1 200').length - 1, 201);
  assert.match(text, /true$/);
  assert.is((await request(site.url, '/api/begun/few')).json, 200);
});

for (const [what, one] of [
  ['requests', 'GET /api/stuck/requests HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['bodies', 'POST /api/stuck/bodies HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n1'],
] as const)
  test(`limits how many requests of ${what} are read behind an unanswered one`, async () => {
    const socket = await tcp(site.url);
    socket.setEncoding('latin1');
    socket.write(one.repeat(1_000_000));
    let left = socket.writableLength;
    for (let same = 0; same < 50; ) {
      await request(site.url, '/api/alive');
      same = socket.writableLength === left ? same + 1 : 0;
      left = socket.writableLength;
    }
    assert.ok(left > 0, 'all of them were read');
    await request(site.url, `/api/go/${what}`, { method: 'POST' });
    let answers = 0;
    socket.on('data', (text: string) => {
      answers += text.split('HTTP/1.1 200').length - 1;
      if (answers > 10_000) socket.destroy();
    });
    await closing(socket);
    assert.ok(answers > 10_000);
  });

test('before the app serves, only the first request of a connection is read', async () => {
  const made = project({
    'fwk.config.ts': SLOW_START,
    'api/plain.ts': route('get', `() => 'plain'`),
  });
  const { child, output, stop } = launch(bin('fwk'), ['dev', '--port', '0'], made.root);
  const [, url = ''] = await output.waitFor(/\[open\] (\S+)\//);
  const one = 'GET /api/plain HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const socket = await tcp(url);
  socket.setEncoding('latin1');
  const count = 2_000_000;
  socket.write(one.repeat(count));
  let left = socket.writableLength;
  for (let same = 0; same < 50; ) {
    const other = await connect(url);
    other.send('nonsense\r\n\r\n');
    await other.rest();
    same = socket.writableLength === left ? same + 1 : 0;
    left = socket.writableLength;
  }
  assert.ok(left > 0, 'all of it was read');
  child.kill('SIGUSR2');
  let answers = 0;
  socket.on('data', (text: string) => {
    answers += text.split('HTTP/1.1 200').length - 1;
    if (answers > 10_000) socket.destroy();
  });
  await closing(socket);
  assert.ok(answers > 10_000);
  await stop();
});

test.run();
