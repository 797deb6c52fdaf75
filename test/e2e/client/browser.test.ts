import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { clientFile } from '../../harness/client.js';
import { type Dev, dev } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { project } from '../../harness/project.js';
import { checked } from '../http/validation-project.js';

// A page loads the client as it is published, by a plain script, and calls, reads events and talks over a socket.

const page = `<!doctype html><title>client</title><script type="module">
import { createClient, data } from './client.js';
const api = createClient(location.origin);
const told = {};
told.saved = await data(api('/api/books').post({ body: { title: 'Emma', at: new Date(0) } }));
const invalid = await api('/api/books').post({ body: { title: 7 } });
told.invalid = [invalid.ok, invalid.status, invalid.error.errors.map(({ path }) => path)];
told.uploaded = await data(api('/api/upload').post({ body: { cover: new File(['hello'], 'a.txt') } }));
told.head = (await api.raw('/api/ticks').head()).headers.get('content-type');
told.ticks = [];
for await (const { event, data: tick, id } of await data(api('/api/ticks').get())) {
  told.ticks.push([event, tick, id]);
  if (event === 'last') break;
}
const room = api('/ws/rooms/:room').ws({ params: { room: 'tea' } });
room.send({ text: 'hello' });
for await (const message of room) {
  told.message = message;
  room.close();
}
const leave = new AbortController();
const stream = await data(api('/api/ticks').get({ signal: leave.signal }));
told.thrown = await (async () => { for await (const _ of stream) leave.abort(); })().catch(({ name }) => name);
document.body.append(JSON.stringify(told));
</script>`;

const made = project({
  'api/books.post.ts': checked(
    'post',
    '{ body: z.object({ title: z.string(), at: z.coerce.date() }) }',
    '({ body }) => body',
  ),
  'api/upload.post.ts': checked(
    'post',
    '{ body: z.object({ cover: z.file() }) }',
    '({ body: { cover } }) => [cover.name, cover.size]',
  ),
  'api/ticks.get.ts': checked(
    'sse',
    '{}',
    `({ send, emit }) => {
    send({ n: 1 }, { id: 'a' });
    emit('last', 'ü');
    return () => {};
  }`,
  ),
  'ws/rooms/[room].ts': checked(
    'ws',
    '{}',
    '({ onJson, send, params }) => onJson(({ text }) => send({ in: params.room, text }))',
  ),
  'public/index.html': page,
  'public/client.js': readFileSync(clientFile, 'utf8'),
});
linkLibraries(made);

const test = suite('in Chromium');
let server: Dev;
let chromium: Browser;
test.before(async () => {
  [server, chromium] = await Promise.all([dev(made), browser()]);
});
test.after(async () => void (await Promise.all([server.stop(), chromium.close()])));

test('the client calls, reads events and talks over a socket', async () => {
  const tab = await chromium.newPage();
  const failures: string[] = [];
  tab.on('pageerror', (error) => failures.push(String(error)));
  await tab.goto(server.url);
  await tab.waitForFunction('document.body?.textContent', undefined, { timeout: 10_000 }).catch(() => {});
  assert.equal(failures, []);
  assert.equal(JSON.parse((await tab.textContent('body')) ?? ''), {
    saved: { title: 'Emma', at: '1970-01-01T00:00:00.000Z' },
    invalid: [false, 422, [['title'], ['at']]],
    uploaded: ['a.txt', 5],
    head: 'text/event-stream',
    ticks: [
      ['message', { n: 1 }, 'a'],
      ['last', 'ü', 'a'],
    ],
    message: { in: 'tea', text: 'hello' },
    thrown: 'AbortError',
  });
});

if (hasBrowser) test.run();
