import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { clientFile, entryFile } from '../../harness/client.js';
import { blocksOf } from '../../harness/documents.js';
import { type Dev, dev } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, project } from '../../harness/project.js';
import { module, sseRoute } from '../../harness/source.js';
import { checked } from '../http/validation-project.js';

// A page loads the published client by a plain script: it makes calls, reads events and uses a socket. A page of
// another origin does the same with the `cors` of the documents, except for the origin.

const page = `<!doctype html><title>client</title><script type="module">
import { createClient, data } from './client.js';
import { createResilientClient } from './client-resilient.js';
const api = createClient(location.origin);
const told = {};
told.saved = await data(api('/api/books').post({ body: { title: 'Emma', at: new Date(0) } }));
const invalid = await api('/api/books').post({ body: { title: 7 } });
told.invalid = [invalid.ok, invalid.status, invalid.error.errors.map(({ path }) => path)];
told.uploaded = await data(api('/api/upload').post({ body: { cover: new File(['hello'], 'a.txt') } }));
const loads = [];
const onUploadProgress = ({ loaded, total }) => loads.push(loaded, total);
const resilient = createResilientClient(location.origin);
const large = { cover: new File(['a'.repeat(300_000)], 'large.txt') };
told.progressed = await data(resilient('/api/upload').post({ body: large, onUploadProgress }));
told.progress = [loads.at(-1) > 300_000, loads.at(-1) === loads.at(-2)];
told.unsent = (await resilient('/api/upload').post({ body: { cover: 'none' }, onUploadProgress })).error.status;
told.expired = await resilient('/api/slow').post({ body: 'x', timeout: 50, onUploadProgress }).catch(({ name }) => name);
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
  'api/slow.post.ts': checked('post', '{}', '() => new Promise(() => {})'),
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
  'public/client-resilient.js': readFileSync(entryFile('resilient'), 'utf8'),
  'public/hello.txt': 'hello',
});
linkLibraries(made);

const example = blocksOf('docs/guide/cors.md').find(({ file }) => file?.endsWith('fwk.config.ts'));

const apiFor = (origin: string): Files => ({
  'fwk.config.ts': (example?.text ?? '').replace('https://shop.example', origin),
  'api/notes/[id].post.ts': checked(
    'post',
    '{ params: z.object({ id: z.number() }), body: z.object({ text: z.string() }) }',
    '({ params, body }) => ({ id: params.id, text: body.text })',
  ),
  'api/notes/[id].patch.ts': checked(
    'patch',
    '{ body: z.object({ text: z.string() }) }',
    '({ body }) => body',
  ),
  'api/notes/[id].put.ts': checked('put', '{ body: z.object({ text: z.string() }) }', '({ body }) => body'),
  'api/notes/[id].del.ts': module('del', 'export default del(() => {});'),
  'api/login.post.ts': checked(
    'post',
    '{ body: z.object({ name: z.string() }) }',
    `({ body }, res) => { res.cookie('name', body.name, { httpOnly: true }); }`,
  ),
  'api/me.get.ts': module(
    'get, error',
    `export default get(({ cookies }) => cookies.name ?? error(401, 'Log in first'));`,
  ),
  'api/upload.post.ts': module(
    'post',
    `export default post(async ({ body }) => [body.file.name, body.file.size]);`,
  ),
  'api/crash.get.ts': module('get', `export default get(() => { throw new Error('broken'); });`),
  'public/data.json': '{"a":1}',
  'api/ticks.get.ts': sseRoute('({ send }) => { send({ n: 1 }); return () => {}; }'),
});

/** Calls that a page makes to an app of another origin, and their results. */
const use = (url: string): string => `(async () => {
  const { createClient, data } = await import('/client.js');
  const api = createClient('${url}', { headers: { authorization: 'Bearer x' } });
  const withCookies = createClient('${url}', { fetch: (request) => fetch(request, { credentials: 'include' }) });
  const told = {};
  const note = { params: { id: 1 }, body: { text: 'tea' } };
  told.post = await data(api('/api/notes/:id').post(note));
  told.patch = await data(api('/api/notes/:id').patch(note));
  told.put = await data(api('/api/notes/:id').put(note));
  told.del = (await api('/api/notes/:id').del({ params: { id: 1 } })).status;
  const invalid = await api('/api/notes/:id').post({ ...note, body: {} });
  told.invalid = [invalid.status, invalid.error.errors.length];
  told.missing = (await api('/api/nowhere').post({ body: {} })).error.message;
  for await (const tick of await data(api('/api/ticks').get({ headers: { 'last-event-id': '7' } }))) {
    told.tick = tick.data;
    break;
  }
  await data(withCookies('/api/login').post({ body: { name: 'Ada' } }));
  told.me = await data(withCookies('/api/me').get());
  told.perCall = await data(api('/api/me').get({ init: { credentials: 'include' } }));
  const form = new FormData();
  form.set('file', new File(['tea'], 'note.txt'));
  const plain = await fetch('${url}/api/upload', { method: 'POST', body: form, headers: { 'x-own': '1' } });
  told.upload = await plain.json();
  const answers = ['api/crash', 'data.json', 'nowhere'].map((path) => fetch('${url}/' + path, { headers: { 'x-own': '1' } }));
  told.statuses = (await Promise.all(answers)).map(({ status }) => status);
  told.stranger = (await api('/api/me').get()).error.message;
  return told;
})()`;

const expected = {
  post: { id: 1, text: 'tea' },
  patch: { text: 'tea' },
  put: { text: 'tea' },
  del: 204,
  invalid: [422, 1],
  missing: 'There is nothing at this address',
  tick: { n: 1 },
  me: 'Ada',
  perCall: 'Ada',
  upload: ['note.txt', 3],
  statuses: [500, 200, 404],
  stranger: 'Log in first',
};

const test = suite('in Chromium');
let server: Dev;
let chromium: Browser;
test.before(async () => {
  [server, chromium] = await Promise.all([dev(made), browser()]);
});
test.after(async () => void (await Promise.all([server.stop(), chromium.close()])));

test('the client calls routes, reads events and uses a socket', async () => {
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
    progressed: ['large.txt', 300_000],
    progress: [true, true],
    unsent: 422,
    expired: 'TimeoutError',
    head: 'text/event-stream',
    ticks: [
      ['message', { n: 1 }, 'a'],
      ['last', 'ü', 'a'],
    ],
    message: { in: 'tea', text: 'hello' },
    thrown: 'AbortError',
  });
});

test('a page of an allowed origin calls with bodies and cookies; other origins cannot', async () => {
  const elsewhere = project(apiFor(server.url));
  linkLibraries(elsewhere);
  const api = await dev(elsewhere);
  const at = async (url: string): Promise<Page> => {
    const tab = await chromium.newPage();
    await tab.goto(`${url}/hello.txt`);
    return tab;
  };
  try {
    assert.equal(await (await at(server.url)).evaluate(use(api.url)), expected);
    const stranger = new URL(server.url);
    stranger.hostname = stranger.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
    const refused = await (await at(stranger.origin)).evaluate(`(${use(api.url)}).catch(({ name }) => name)`);
    assert.is(refused, 'TypeError');
    assert.match((await api.fetch('/api/me')).headers.get('vary') ?? '', /^Origin\b/);
  } finally {
    await api.stop();
  }
});

if (hasBrowser) test.run();
