import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { begin, call as callTool, post, rpc } from '../harness/rpc.js';
import { Shop, type Told } from './shop.js';

// Tests a copy of the bookshop with an empty database. Covered here and not by its own tests: refusals, the log,
// escaping, an edit while it runs, and MCP over HTTP.

const shop = new Shop();
const test = suite('bookshop');
test.before(() => shop.open());
test.after(() => shop.close());

const { ada, bob } = shop;
const call: Shop['call'] = (...args) => shop.call(...args);
const get: Shop['get'] = (...args) => shop.get(...args);

/** A refusal by the shop: a status and one sentence. */
function refused(response: Told, status: number, sentence: RegExp): void {
  assert.is(response.status, status);
  assert.equal(Object.keys(response.body), ['message']);
  assert.match(response.body.message, sentence);
}

/** A refusal by a schema: one issue, at that place. */
function unfit(response: Told, ...place: readonly string[]): void {
  assert.is(response.status, 422);
  assert.equal(
    response.body.errors.map((issue) => [issue.in, ...issue.path]),
    [place],
  );
}

const titles = ({ body }: Told) => body.books.map(({ title }) => title);

test('books are listed, searched and paged', async () => {
  assert.is((await get('/books')).body.total, 6);
  assert.equal(titles(await get('/books?search=ELIOT')), ['Middlemarch', 'Silas Marner']);
  assert.equal(titles(await get('/books?search=eliot&size=1&page=2')), ['Silas Marner']);
  assert.equal(titles(await get('/books?search=%25')), []);
  assert.equal(titles(await get('/books/featured')), ['Flatland', 'Frankenstein', 'Middlemarch']);
  unfit(await get('/books?page=zero'), 'query', 'page');
  unfit(await get('/books/x'), 'params', 'id');
  for (const path of ['/books/99', '/books/2/reviews/1', '/books/99/reviews'])
    assert.is((await get(path)).status, 404, path);
});

test('a login is a cookie that scripts cannot read, and logging out ends it', async () => {
  const wrong = { email: 'bob@example.com', password: 'b' };
  refused(await call('POST', '/login', { body: wrong }), 401, /^Wrong email or password\.$/);
  const credentials = { email: 'ADA@example.com', password: 'analytical engine' };
  const { headers } = await call('POST', '/login', { body: credentials });
  assert.match(headers.get('set-cookie') ?? '', /^session=[^;]+; .*HttpOnly/);
  refused(await get('/profile', 'session=guessed'), 401, /^Log in first/);
  const as = await bob();
  assert.is((await call('PUT', '/profile', { as, body: { name: ' Bobby ' } })).body.name, 'Bobby');
  assert.is((await get('/profile', as)).body.name, 'Bobby');
  assert.is((await call('DELETE', '/session', { as })).status, 204);
  assert.is((await get('/profile', as)).status, 401);
});

test('a review needs a login, a book and valid values', async () => {
  const review = { rating: 4, text: 'Long, and worth it.' };
  refused(await call('POST', '/books/3/reviews', { body: review }), 401, /^Log in first/);
  const as = await bob();
  const send = (path: string, body: unknown) => call('POST', path, { as, body });
  refused(await send('/books/99/reviews', review), 404, /^There is no such book\.$/);
  unfit(await send('/books/3/reviews', { ...review, rating: 6 }), 'body', 'rating');
  const { status, body } = await send('/books/3/reviews', review);
  assert.equal([status, body.rating, body.text], [201, 4, review.text]);
  assert.equal((await get(`/books/3/reviews/${body.id}`)).body, body);
  assert.is((await send('/books/3/reviews', { ...review, text: 'x'.repeat(70_000) })).status, 413);
});

test('only an admin adds, changes and removes a book, and the log records it', async () => {
  const as = await ada();
  const emma = { title: 'Emma', author: 'Jane Austen', year: 1815, cents: 890 };
  refused(await call('POST', '/admin/books', { body: emma }), 401, /^Log in first/);
  refused(
    await call('POST', '/admin/books', { as: await bob(), body: emma }),
    403,
    /^Only admins may do this/,
  );
  const added = await call('POST', '/admin/books', { as, body: emma });
  const at = `/books/${added.body.id}`;
  assert.equal([added.status, added.headers.get('location')], [201, `/api/v1${at}`]);
  refused(
    await call('POST', '/admin/books', { as, body: emma }),
    409,
    /^A book with this title already exists\./,
  );
  const stats = await get('/admin/stats', as);
  assert.equal(stats.body, { books: 7, authors: 5, reviews: 2, accounts: 2 });
  const changed = await call('PATCH', `/admin${at}`, { as, body: { featured: true } });
  assert.equal(changed.body, { ...added.body, featured: true });
  assert.is((await call('DELETE', `/admin${at}`, { as })).status, 204);
  assert.is((await get(at)).status, 404);
  await shop.server.waitFor(/^Ada removed a book: DELETE \/api\/v1\/admin\/books\/7$/m);
  assert.not.match(shop.server.output.all, /Bob.* removed/);
});

test('pages greet the visitor and escape stored text', async () => {
  const as = await ada();
  const home = await shop.page('/', as);
  assert.match(home, 'Hello, Ada');
  assert.match(home, /<a href="\/books\/middlemarch">Middlemarch<\/a>/);
  assert.match(
    await shop.page('/?search=%22%3E%3Cb%3Eshelley'),
    /value="&quot;(&gt;|>)&lt;b(&gt;|>)shelley"/,
  );
  const missing = await shop.server.fetch('/books/nothing', { headers: { accept: 'text/html' } });
  assert.equal([missing.status, missing.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
  const title = '<script>alert(1)</script>';
  const body = { title, author: 'Mallory', year: 2000, cents: 1 };
  const { slug } = (await call('POST', '/admin/books', { as, body })).body;
  for (const html of [await shop.page('/'), await shop.page(`/books/${slug}`)]) {
    assert.not.match(html, '<script>');
    assert.match(html, /&lt;script(&gt;|>)alert/);
  }
});

test('an assistant reads, completes and recommends books, and reviews one for the logged-in visitor', async () => {
  const { url } = shop.server;
  const session = await begin(url);
  const ask = async (method: string, params: object) =>
    JSON.stringify((await post(url, rpc(method, params), session)).json);
  assert.match(await ask('resources/read', { uri: 'book://middlemarch' }), 'George Eliot');
  const ref = { type: 'ref/resource', uri: 'book://{slug}' };
  const argument = { name: 'slug', value: 'mid' };
  assert.match(await ask('completion/complete', { ref, argument }), '"values":["middlemarch"]');
  const reader = { reader: 'ghosts', length: 'short' };
  assert.match(
    await ask('prompts/get', { name: 'recommend', arguments: reader }),
    'likes ghosts, a short one',
  );

  const review = { id: 5, rating: 4, text: 'Nobody alive has read it twice.' };
  assert.is(await callTool(url, 'reviewBook', review, session), 'Log in first: POST /api/v1/login.');
  const asBob = { ...(await begin(url)), cookie: await bob() };
  assert.match(await callTool(url, 'reviewBook', { ...review, rating: 6 }, asBob), /rating: \S/);
  assert.is(JSON.parse(await callTool(url, 'reviewBook', review, asBob)).text, review.text);
  assert.equal((await get('/books/5/reviews')).body.reviews[0]?.text, review.text);
});

test('an edit is served by the next request, over the same database', async () => {
  const as = await bob();
  const mark = shop.server.output.mark();
  shop.project.write('web/get.ts', shop.project.read('web/get.ts').replace('size: 100', 'size: 1'));
  await shop.server.waitFor(/reloaded/, mark);
  assert.is((await shop.page('/')).match(/<li>/g)?.length, 1);
  assert.is((await get('/profile', as)).status, 200);
  const home = shop.project.read('views/home.eta');
  shop.project.write('views/home.eta', home.replace('<h1>Books</h1>', '<h1>All books</h1>'));
  assert.match(await shop.page('/'), '<h1>All books</h1>');
});

test.run();
