import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../harness/fwk.js';
import { bin } from '../harness/installed.js';
import { Shop } from './shop.js';

// The bookshop's pages, and what fwk does with the project.

const shop = new Shop();
const test = suite('bookshop pages');
test.before(() => shop.open());
test.after(() => shop.close());

test('every request is logged and every answer has its headers', async () => {
  const mark = shop.server.output.mark();
  const { headers } = await shop.get('/books/1');
  assert.is(headers.get('x-content-type-options'), 'nosniff');
  await shop.server.waitFor(/^GET \/api\/v1\/books\/1 200 \d+\.\d ms$/m, mark);
  await shop.get('/profile');
  await shop.server.waitFor(/^GET \/api\/v1\/profile 401 \d+\.\d ms$/m, mark);
});

test('the pages', async () => {
  const home = await shop.page('/');
  assert.match(home, /<title>Bookshop<\/title>/);
  assert.match(home, /<a href="\/books\/middlemarch">Middlemarch<\/a>/);
  const found = await shop.page('/?search=%22%3E%3Cb%3Eshelley');
  assert.match(found, /value="&quot;(&gt;|>)&lt;b(&gt;|>)shelley"/);
  assert.match(found, '0 books');
  assert.match(await shop.page('/books/frankenstein'), '★★★★★ The monster reads better books than I do.');
  const missing = await shop.server.fetch('/books/nothing', { headers: { accept: 'text/html' } });
  assert.equal([missing.status, missing.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
});

test('a page greets who is logged in', async () => {
  assert.match(await shop.page('/', await shop.ada()), 'Hello, Ada');
  assert.match(await shop.page('/'), 'Hello, stranger');
});

test('what is written into a page is escaped', async () => {
  const title = '<script>alert(1)</script>';
  const body = { title, author: 'Mallory', year: 2000, cents: 1 };
  const { body: book } = await shop.call('POST', '/admin/books', { as: await shop.ada(), body });
  assert.is(book.title, title);
  for (const html of [await shop.page('/'), await shop.page(`/books/${book.slug}`)]) {
    assert.not.match(html, '<script>');
    assert.match(html, /&lt;script(&gt;|>)alert/);
  }
});

test('an edit is served by the next request, over the same database', async () => {
  const as = await shop.bob();
  const mark = shop.server.output.mark();
  shop.project.write('web/get.ts', shop.project.read('web/get.ts').replace('size: 100', 'size: 1'));
  await shop.server.waitFor(/reloaded/, mark);
  assert.is((await shop.page('/')).match(/<li>/g)?.length, 1);
  assert.is((await shop.get('/profile', as)).status, 200);
});

test('an edited template is served by the next request', async () => {
  shop.project.write(
    'views/home.eta',
    shop.project.read('views/home.eta').replace('<h1>Books</h1>', '<h1>All books</h1>'),
  );
  assert.match(await shop.page('/'), '<h1>All books</h1>');
});

test('its routes', async () => {
  const { status, stdout } = await fwk(shop.project, 'routes');
  assert.is(status, 0);
  assert.is(stdout.split('\n').filter((line) => line !== '').length, 28);
  assert.match(stdout, /^GET \/$/m);
  assert.match(stdout, /^MCP \/mcp$/m);
  assert.match(stdout, /^GET \/api\/v1\/books\/:id\/reviews\/:reviewId$/m);
});

test('it type-checks with its own tsconfig.json, and so do the scripts of its pages', async () => {
  assert.is((await fwk(shop.project, 'types')).status, 0);
  for (const config of ['tsconfig.json', 'tsconfig.public.json']) {
    const args = ['-p', config, '--noEmit', '--pretty', 'false'];
    const { status, stdout } = await ended(start(bin('tsc'), args, shop.project.root), 'tsc');
    assert.equal([status, stdout], [0, ''], config);
  }
});

test.run();
