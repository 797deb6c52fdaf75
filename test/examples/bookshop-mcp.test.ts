import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { begin, call, post, rpc } from '../harness/rpc.js';
import { Shop } from './shop.js';

// The bookshop as an assistant meets it.

const shop = new Shop();
const test = suite('bookshop over MCP');
test.before(() => shop.open());
test.after(() => shop.close());

test('books are found, read, completed and recommended', async () => {
  const { url } = shop.server;
  const session = await begin(url);
  const found = JSON.parse(await call(url, 'booksSearch', { search: 'eliot' }, session));
  assert.equal(
    [found.total, found.books[0]],
    [
      2,
      {
        uri: 'book://middlemarch',
        title: 'Middlemarch',
        author: 'George Eliot',
        year: 1871,
        price: found.books[0].price,
      },
    ],
  );
  const ask = async (method: string, params: object) => (await post(url, rpc(method, params), session)).json;
  const { slug } = (await shop.get('/books/1')).body;
  const read = (await ask('resources/read', { uri: `book://${slug}` })) as {
    result: { contents: { text: string }[] };
  };
  const book = JSON.parse(read.result.contents[0]?.text ?? '');
  assert.equal([book.id, book.slug, book.reviews[0].by], [1, slug, 'Bob']);
  const ref = { type: 'ref/resource', uri: 'book://{slug}' };
  const completed = await ask('completion/complete', { ref, argument: { name: 'slug', value: 'mid' } });
  assert.match(JSON.stringify(completed), /"values":\["middlemarch"\]/);
  const prompt = await ask('prompts/get', {
    name: 'recommend',
    arguments: { reader: 'ghosts', length: 'short' },
  });
  assert.match(JSON.stringify(prompt), /likes ghosts, a short one\./);
});

test('a route is a tool: it is called in the name of who has logged in, and checked as over HTTP', async () => {
  const { url } = shop.server;
  const review = { id: 5, rating: 4, text: 'Nobody alive has read it twice.' };
  const stranger = await begin(url);
  assert.is(await call(url, 'reviewBook', review, stranger), 'Log in first: POST /api/v1/login.');
  const bob = { ...(await begin(url)), cookie: await shop.bob() };
  assert.match(
    await call(url, 'reviewBook', { ...review, rating: 6 }, bob),
    /^The request is not what this route takes\. rating: \S/,
  );
  const { by, text } = JSON.parse(await call(url, 'reviewBook', review, bob)) as { by: string; text: string };
  assert.equal([by, text], ['Bob', review.text]);
  assert.equal((await shop.get('/books/5/reviews')).body.reviews[0]?.text, review.text);
});

test.run();
