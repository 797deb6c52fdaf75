import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CONFIG, repository, told } from './impact-repository.js';

// The OpenAPI document tells of routes: what they say of themselves reaches it, what they do does not.

const repo = repository({
  'fwk.config.ts': CONFIG.replace(
    'plugins:',
    "openapi: { serve: true, security: { shop: { type: 'http', scheme: 'basic' }, till: { type: 'http', scheme: 'bearer' } } }, plugins:",
  ),
  'lib/title.ts': "export const title = 'Books';\n",
  'lib/text.ts': "export const text = 'a book';\n",
  'services/shelf.ts':
    "import { service } from 'fwkit';\nexport default service(() => ({ all: () => ['one'] }));\n",
  'api/books.get.ts': `import { get } from 'fwkit';
import { text } from '../lib/text.js';
import { title } from '../lib/title.js';
export default get({ title }, (_req, _res, ctx: any) => [text, ctx.shelf.all()]).meta({ sse: false });
`,
  'api/plain.get.ts': `import { get } from 'fwkit';
const handler = () => 'plain';
export default get(handler);
`,
  'api/shop/_middleware.ts': `import { middleware } from 'fwkit';
export const security = ['shop'];
export default middleware((_req, res, _ctx, next) => { res.header('x-a', '1'); return next(); });
`,
  'ws/live.ts': "import { ws } from 'fwkit';\nexport default ws(({ socket }) => socket.send('x'));\n",
  'api/shop/cart.get.ts': "import { get } from 'fwkit';\nexport default get(() => 1);\n",
});
const DOCUMENT = 'GET /openapi.json';

const { after, edited } = repo;

const isDescribed = async (name: string, from: string, to: string): Promise<boolean> =>
  told(await after(edited(name, from, to))).includes(DOCUMENT);

const test = suite('impact on the OpenAPI document');

test('what a route says of itself reaches it, also from elsewhere', async () => {
  const impact = await after({ 'lib/title.ts': "export const title = 'All books';\n" });
  assert.equal(told(impact), ['GET /api/books', DOCUMENT]);
  assert.is(impact.routes[1]?.why, 'describes GET /api/books');
  assert.ok(await isDescribed('api/books.get.ts', 'sse: false', 'sse: true'));
  assert.ok(await isDescribed('api/books.get.ts', 'get({ title }', "get({ title: 'Other' }"));
});

test('what it does reaches it not', async () => {
  assert.not(await isDescribed('api/books.get.ts', '[text, ', '[text, text, '));
  assert.not(await isDescribed('lib/text.ts', 'a book', 'books'));
  assert.not(await isDescribed('services/shelf.ts', 'one', 'two'));
  assert.not(await isDescribed('api/plain.get.ts', "'plain'", "'other'"));
  assert.not(await isDescribed('api/shop/_middleware.ts', "'1'", "'2'"));
});

test('a route that comes or goes does, and how clients are identified', async () => {
  assert.ok(told(await after({ 'api/plain.get.ts': undefined })).includes(DOCUMENT));
  const came = await after({ 'api/new.get.ts': repo.read('api/plain.get.ts') });
  assert.ok(told(came).includes(DOCUMENT));
  assert.not(told(came).includes('GET /_fwk/docs'));
  assert.not(told(await after({ 'ws/more.ts': repo.read('ws/live.ts') })).includes(DOCUMENT));
  assert.ok(await isDescribed('api/shop/_middleware.ts', "'shop'", "'till'"));
});

test('a named file counts as a whole', async () => {
  assert.ok(told(await repo.report({ files: ['src/api/plain.get.ts'] })).includes(DOCUMENT));
});

test.run();
