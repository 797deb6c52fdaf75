import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejected } from '../../harness/client.js';
import { project } from '../../harness/project.js';
import { createApp } from '../../harness/settings.js';
import { route, wsModule } from '../../harness/source.js';

// app.fetch: a request without a socket ends for its handler as one with a socket does.

const waits = {
  'api/wait.get.ts': route(`(req) => new Promise((resolve) => {
      req.signal.addEventListener('abort', () => resolve(process.emit('wait:ended')));
      process.emit('wait:begun');
    })`),
  'api/endless.get.ts': route(`async function* (req) {
      req.signal.addEventListener('abort', () => process.emit('wait:ended'));
      for (;;) yield 'x'.repeat(1000);
    }`),
};

const test = suite('app.fetch');

test('aborting a request or canceling the response body aborts the handler', async () => {
  const app = await createApp(project(waits, 'js'), '.');
  const stop = new AbortController();
  const [begun, ended] = [once(process, 'wait:begun'), once(process, 'wait:ended')];
  const asked = app.fetch(new Request('http://localhost/api/wait', { signal: stop.signal }));
  await begun;
  stop.abort();
  assert.instance(await asked.catch((reason: unknown) => reason), Error);
  await ended;

  const left = once(process, 'wait:ended');
  const response = await app.fetch(new Request('http://localhost/api/endless'));
  await response.body?.cancel();
  await left;
  await app.close();
});

test('a length that the caller gives is ignored', async () => {
  const app = await createApp(project({ 'api/x.post.ts': route('post', '(req) => req.body') }, 'js'), '.');
  const send = async (init: RequestInit) => {
    const response = await app.fetch(new Request('http://localhost/api/x', { method: 'POST', ...init }));
    return [response.status, await response.text()];
  };
  const type = { 'content-type': 'application/json' };
  for (const length of ['7', '3', '100'])
    assert.equal(await send({ body: '{"a":1}', headers: { ...type, 'content-length': length } }), [
      200,
      '{"a":1}',
    ]);
  assert.equal(await send({ headers: { 'content-length': '5' } }), [204, '']);
  await app.close();
});

test('headers about the connection of another request are ignored', async () => {
  const files = { 'ws/echo.ts': wsModule('({ send, onMessage }) => onMessage((message) => send(message))') };
  const app = await createApp(project(files, 'js'), '.');
  const headers = {
    ...{
      connection: 'Upgrade',
      upgrade: 'websocket',
      'keep-alive': 'timeout=5',
      te: 'trailers',
      trailer: 'x',
    },
    ...{ 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' },
  };
  const response = await app.fetch(new Request('http://localhost/ws/echo', { headers }));
  assert.is(response.status, 426);
  await app.close();
});

test('an app closes although a response body was not read', async () => {
  const app = await createApp(project({ 'api/x.get.ts': route('get', '() => ({ a: 1 })') }, 'js'), '.');
  const response = await app.fetch(new Request('http://localhost/api/x'));
  await response.body?.cancel();
  await app.close();
});

test('a closed app rejects requests, because its services have ended', async () => {
  const app = await createApp(project({ 'api/x.get.ts': route('get', '() => ({ a: 1 })') }, 'js'), '.');
  const closed = app.close();
  for (let turn = 0; turn < 2; turn += 1) {
    const { code, message } = await rejected(app.fetch(new Request('http://localhost/api/x')));
    assert.is(code, 'FWK315');
    assert.match(message, /^app\.fetch\(\) is used after app\.close\(\)\. /);
    await closed;
  }
});

test.run();
