import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { browser, hasBrowser } from '../../harness/browser.js';
import { clientFile } from '../../harness/client.js';
import { blocksOf } from '../../harness/documents.js';
import { dev } from '../../harness/fwk.js';
import { linkLibraries } from '../../harness/libraries.js';
import { type Files, project } from '../../harness/project.js';
import { module } from '../../harness/source.js';
import { checked } from '../http/validation-project.js';

// A page of another origin uses the client against an app with the `cors` of the documents, word for word but the origin.

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
  'api/ticks.get.ts': module(
    'sse',
    'export default sse(({ send }) => { send({ n: 1 }); return () => {}; });',
  ),
});

/** What a page does with an app of another origin, and what it has of it. */
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

const test = suite('a page of another origin');

test('calls, with bodies and cookies; one that is not named cannot', async () => {
  const pages = project({
    'public/index.html': '<!doctype html>',
    'public/client.js': readFileSync(clientFile, 'utf8'),
  });
  const [shop, stranger, chromium] = await Promise.all([dev(pages), dev(pages), browser()]);
  const made = project(apiFor(shop.url));
  linkLibraries(made);
  const api = await dev(made);
  const at = async (url: string): Promise<Page> => {
    const page = await chromium.newPage();
    await page.goto(url);
    return page;
  };
  try {
    assert.equal(await (await at(shop.url)).evaluate(use(api.url)), expected);
    const refused = await (await at(stranger.url)).evaluate(`(${use(api.url)}).catch(({ name }) => name)`);
    assert.is(refused, 'TypeError');
    assert.match((await api.fetch('/api/me')).headers.get('vary') ?? '', /^Origin\b/);
  } finally {
    await chromium.close();
    await Promise.all([shop, stranger, api].map((server) => server.stop()));
  }
});

if (hasBrowser) test.run();
