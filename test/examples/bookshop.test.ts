import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Shop, type Told } from './shop.js';

// The bookshop's API as a newcomer meets it: a copy of the example, started with an empty database.

const shop = new Shop();
const test = suite('bookshop');
test.before(() => shop.open());
test.after(() => shop.close());

const { ada, bob } = shop;
const call: Shop['call'] = (...args) => shop.call(...args);
const get: Shop['get'] = (...args) => shop.get(...args);

/** A refusal by the shop: a status and one sentence. */
function refused(told: Told, status: number, sentence: RegExp): void {
  assert.is(told.status, status);
  assert.equal(Object.keys(told.body), ['message']);
  assert.match(told.body.message, sentence);
}

/** A refusal by a schema: one issue, at that place. */
function unfit(told: Told, ...place: readonly string[]): void {
  assert.is(told.status, 422);
  assert.equal(
    told.body.errors.map((issue) => [issue.in, ...issue.path]),
    [place],
  );
}

const titles = ({ body }: Told) => body.books.map(({ title }) => title);

test('books are listed, searched and paged', async () => {
  const all = await get('/books');
  assert.is(all.body.total, 6);
  assert.equal(titles(await get('/books?search=ELIOT')), ['Middlemarch', 'Silas Marner']);
  assert.equal(titles(await get('/books?search=eliot&size=1&page=2')), ['Silas Marner']);
  assert.equal(titles(await get('/books?search=%25')), []);
  unfit(await get('/books?page=zero'), 'query', 'page');
});

test('a literal segment beats a parameter', async () => {
  assert.equal(titles(await get('/books/featured')), ['Flatland', 'Frankenstein', 'Middlemarch']);
  const { status, body } = await get('/books/2');
  assert.equal([status, body.title, body.author], [200, 'The Last Man', 'Mary Shelley']);
});

test('two parameters, and what is not there', async () => {
  assert.is((await get('/books/1/reviews/1')).body.by, 'Bob');
  assert.is((await get('/books/1/reviews')).body.reviews.length, 1);
  for (const path of ['/books/99', '/books/2/reviews/1', '/books/99/reviews'])
    assert.is((await get(path)).status, 404, path);
  unfit(await get('/books/x'), 'params', 'id');
});

test('a login sets a cookie that scripts cannot read', async () => {
  const { headers } = await call('POST', '/login', {
    body: { email: 'ADA@example.com', password: 'analytical engine' },
  });
  assert.match(headers.get('set-cookie') ?? '', /^session=[^;]+; .*HttpOnly/);
});

test('a login that is none', async () => {
  const wrong = /^That email and password do not belong together\.$/;
  refused(await call('POST', '/login', { body: { email: 'a', password: 'b' } }), 401, wrong);
  refused(await call('POST', '/login', { body: { email: 'bob@example.com', password: 'b' } }), 401, wrong);
  unfit(await call('POST', '/login', { body: { email: 'a' } }), 'body', 'password');
  unfit(await call('POST', '/login', { body: [1] }), 'body');
  assert.is((await call('POST', '/login', { body: '{"email":' })).status, 400);
});

test('a profile is its owner’s', async () => {
  refused(await get('/profile'), 401, /^Log in first/);
  refused(await get('/profile', 'session=guessed'), 401, /^Log in first/);
  const as = await bob();
  assert.equal((await get('/profile', as)).body.name, 'Bob');
  assert.is((await call('PUT', '/profile', { as, body: { name: ' Bobby ' } })).body.name, 'Bobby');
  assert.is((await get('/profile', as)).body.name, 'Bobby');
  unfit(await call('PUT', '/profile', { as, body: { name: '' } }), 'body', 'name');
});

test('logging out ends the login, not only the cookie', async () => {
  const as = await bob();
  const { status, headers } = await call('DELETE', '/session', { as });
  assert.is(status, 204);
  assert.match(headers.get('set-cookie') ?? '', /^session=;.*Expires=Thu, 01 Jan 1970/);
  assert.is((await get('/profile', as)).status, 401);
});

test('a review needs a login, a book and sense', async () => {
  const review = { rating: 4, text: 'Long, and worth it.' };
  refused(await call('POST', '/books/3/reviews', { body: review }), 401, /^Log in first/);
  const as = await bob();
  const post = (path: string, body: unknown) => call('POST', path, { as, body });
  refused(await post('/books/99/reviews', review), 404, /^There is no such book\.$/);
  unfit(await post('/books/3/reviews', { ...review, rating: 6 }), 'body', 'rating');
  unfit(await post('/books/3/reviews', { ...review, rating: '5' }), 'body', 'rating');
  unfit(await post('/books/3/reviews', { rating: 5 }), 'body', 'text');
  const { status, body } = await post('/books/3/reviews', review);
  assert.equal([status, body.rating, body.text], [201, 4, review.text]);
  assert.equal((await get(`/books/3/reviews/${body.id}`)).body, body);
  assert.is((await post('/books/3/reviews', { ...review, text: 'x'.repeat(70_000) })).status, 413);
});

test('admin/ is for admins', async () => {
  const as = await bob();
  for (const [method, path] of [
    ['GET', '/admin/stats'],
    ['POST', '/admin/books'],
    ['PATCH', '/admin/books/1'],
    ['DELETE', '/admin/books/1'],
  ] as const) {
    refused(await call(method, path), 401, /^Log in first/);
    refused(await call(method, path, { as }), 403, /^Only admins may do this\.$/);
  }
  assert.is((await get('/books/1')).status, 200);
});

test('an admin adds, changes and removes a book, and the log says so', async () => {
  const as = await ada();
  const emma = { title: 'Emma', author: 'Jane Austen', year: 1815, cents: 890 };
  const added = await call('POST', '/admin/books', { as, body: emma });
  const at = `/books/${added.body.id}`;
  assert.equal([added.status, added.headers.get('location')], [201, `/api/v1${at}`]);
  refused(await call('POST', '/admin/books', { as, body: emma }), 409, /^There is a book with that title\./);
  unfit(await call('POST', '/admin/books', { as, body: { ...emma, cents: 1.5 } }), 'body', 'cents');
  const stats = await get('/admin/stats', as);
  assert.equal(stats.body, { books: 7, authors: 5, reviews: 2, accounts: 2 });

  const changed = await call('PATCH', `/admin${at}`, { as, body: { featured: true } });
  assert.equal(changed.body, { ...added.body, featured: true });
  unfit(await call('PATCH', `/admin${at}`, { as, body: { year: 'old' } }), 'body', 'year');
  assert.is((await call('DELETE', `/admin${at}`, { as })).status, 204);
  assert.is((await get(at)).status, 404);
  refused(await call('DELETE', `/admin${at}`, { as }), 404, /^There is no such book\.$/);
  await shop.server.waitFor(/^Ada removed a book: DELETE \/api\/v1\/admin\/books\/7$/m);
  assert.not.match(shop.server.output.all, /Bob.* removed/);
});

test.run();
