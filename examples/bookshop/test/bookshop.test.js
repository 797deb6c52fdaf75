import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createTestApp, testClock } from 'fwkit/testing';

const dir = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'bookshop-'));
after(() => rmSync(folder, { recursive: true, force: true }));
process.env.DATABASE = join(folder, 'test.db');

const form = (fields) => new URLSearchParams(fields).toString();
const headers = { 'content-type': 'application/x-www-form-urlencoded' };

test('a reader logs in, corrects an invalid review and sends it again', async () => {
  const app = await createTestApp({ dir });
  const bob = form({ email: 'bob@example.com', password: 'builder of sheds' });
  assert.equal((await app.post('/login', bob, { headers })).headers.get('location'), '/');

  const wrong = await app.post('/books/flatland/review', form({ rating: '9', text: 'Flat.' }), { headers });
  assert.equal(wrong.status, 422);
  assert.match(await wrong.text(), /Choose 1 to 5 stars[\s\S]*Flat\.<\/textarea>/);

  await app.post('/books/flatland/review', form({ rating: '4', text: 'Flat.' }), { headers });
  assert.match(
    await (await app.get('/books/flatland')).text(),
    /Thank you for your review[\s\S]*★★★★ Flat\./,
  );
  assert.equal((await app.get('/admin')).status, 403);
  await app.close();
});

test('readers of a book see the number of readers', async () => {
  const app = await createTestApp({ dir, leaks: 'error' });
  const ada = await app.ws('/ws/books/flatland/readers');
  assert.deepEqual(await ada.next(), { reading: 1 });
  const bob = await app.visitor().ws('/ws/books/flatland/readers');
  assert.deepEqual([await ada.next(), await bob.next()], [{ reading: 2 }, { reading: 2 }]);
  await bob.close();
  assert.deepEqual(await ada.next(), { reading: 1 });
  await app.close();
});

test('an assistant finds a book', async () => {
  const app = await createTestApp({ dir });
  const { structuredContent } = await app.mcp.callTool('booksSearch', { search: 'flatland' });
  assert.equal(structuredContent.books[0].uri, 'book://flatland');
  const [book] = await app.mcp.readResource('book://flatland');
  assert.match(book.text, /Flatland/);
  await app.close();
});

test('a login expires after a week without a visit', async () => {
  const clock = testClock();
  const app = await createTestApp({ dir, clock });
  const [ada, bob] = [app.visitor(), app.visitor()];
  await ada.post('/api/v1/login', { email: 'ada@example.com', password: 'analytical engine' });
  const seen = async (visitor) => (await visitor.get('/api/v1/profile')).status;
  assert.deepEqual([await seen(ada), await seen(bob)], [200, 401]);
  await clock.advance('8 days');
  assert.equal(await seen(ada), 401);
  await app.close();
});

test('a price has two digits after the point', async () => {
  const book = { slug: 'pamphlet', title: 'Pamphlet', author: 'Anonymous', year: 1700, cents: 5 };
  const catalogue = { search: () => ({ books: [book], total: 1 }) };
  const app = await createTestApp({ dir, overrides: { catalogue } });
  assert.match(await (await app.get('/')).text(), /€ 0\.05/);
  await app.close();
});
