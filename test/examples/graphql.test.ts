import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../harness/fwk.js';
import { request, type Sent } from '../harness/http.js';
import type { Files } from '../harness/project.js';
import { assertReported, refusal } from '../harness/refusal.js';
import { build, MAIN, production, TSCONFIG } from '../harness/settings.js';
import { configFile, di, middleware, service } from '../harness/source.js';
import { withPlugin } from './example.js';

const test = suite('graphql');

const config = (more = '') => ({
  'fwk.config.ts': `import { graphql } from 'fwk-graphql';\n${configFile(`{ plugins: [graphql()], ${more} }`)}`,
});
const schema = (text: string) =>
  `import { schema } from 'fwk-graphql';\nexport default schema(\`${text}\`);\n`;
const resolver = (run: string) =>
  `import { resolver } from 'fwk-graphql';\nimport { error } from 'fwkit';\nexport default resolver(${run});\n`;
const JSON_TYPE = 'application/json; charset=utf-8';
const withGraphql = (files: Files) => withPlugin('graphql', files, ['graphql', 'graphql-http']);

const files: Files = {
  ...config('graphql: { maxTokens: 60 }'),
  'graphql/schema.ts': schema(`
    type Query { book(id: Int!): Book, books: [Book!]!, scope: Int }
    type Mutation { rename(id: Int!, title: String!): Book }
    type Book { id: Int!, title: String!, author: String, cover: String }
  `),
  'graphql/Query/book.ts': resolver(`(_source: unknown, { id }: { id: number }, ctx) => {
    const book = ctx.books.find(id);
    if (!book) throw error(404, 'No such book');
    return book;
  }`),
  'graphql/Query/books.ts': resolver('(_source, _args, ctx) => ctx.books.all'),
  'graphql/Query/scope.ts': resolver('async (_source, _args, ctx) => ++ctx.scoped.reads'),
  'graphql/Mutation/rename.ts': resolver(
    '(_source: unknown, { id, title }: { id: number; title: string }, ctx) => Object.assign(ctx.books.find(id)!, { title })',
  ),
  'graphql/Book/author.ts': resolver("async (book: { by: string }) => 'by ' + book.by"),
  'graphql/Book/cover.ts': resolver("() => { throw new Error('no ink'); }"),
  'graphql/_middleware.ts': middleware(
    `(req, res, _ctx, next) => { res.header('x-visited', req.route.kind); return next(); }`,
  ),
  'services/books.ts': service(`() => {
       const all = [{ id: 1, title: 'Emma', by: 'Austen' }, { id: 2, title: 'Dracula', by: 'Stoker' }];
       return { all, find: (id: number) => all.find((book) => book.id === id) };
     }`),
  'di/scoped.ts': di(
    'request',
    `(_ctx, { onDestroy }) => {
       onDestroy(() => console.log('[scope closed]'));
       return { reads: 0 };
     }`,
  ),
  'main.ts': MAIN,
  'tsconfig.json': TSCONFIG,
};

/** The fields of answers that tests read. */
interface Body {
  readonly data?: unknown;
  readonly message?: string;
  readonly errors?: readonly { readonly message: string; readonly extensions?: unknown }[];
}

async function ask(url: string, path: string, sent?: Sent) {
  const answer = await request(url, path, sent);
  return { ...answer, type: answer.headers['content-type'], body: answer.json as Body };
}
const post = (url: string, body: unknown, headers: Sent['headers'] = {}) =>
  ask(url, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const get = (url: string, query: Readonly<Record<string, string>>) =>
  ask(url, `/graphql?${new URLSearchParams(query)}`);

/** Assertions for every way to run the project. */
async function answers(url: string): Promise<void> {
  const query = 'query ($id: Int!) { book(id: $id) { title author } }';
  const found = await post(url, { query, variables: { id: 1 } });
  assert.equal([found.status, found.type], [200, JSON_TYPE]);
  assert.equal(found.body, { data: { book: { title: 'Emma', author: 'by Austen' } } });
  assert.is(found.headers['x-visited'], 'graphql');
  const books = await get(url, { query: '{ books { id } }' });
  assert.equal(books.body, { data: { books: [{ id: 1 }, { id: 2 }] } });
  assert.equal((await get(url, { query, variables: '{ "id": 2 }' })).status, 200);
  const change = 'mutation { rename(id: 2, title: "Carmilla") { title } }';
  assert.equal((await post(url, { query: change })).body, { data: { rename: { title: 'Carmilla' } } });
  assert.equal((await post(url, { query: '{ a: scope b: scope }' })).body, { data: { a: 1, b: 2 } });
  assert.equal((await post(url, { query: '{ a: scope }' })).body, { data: { a: 1 } });

  const missing = await post(url, { query, variables: { id: 9 } });
  const [error] = missing.body.errors ?? [];
  assert.equal([error?.message, error?.extensions], ['No such book', { status: 404 }]);
  const wrong = { query: '{ boks { id } }' };
  const accept = 'application/graphql-response+json';
  const { status, type, body } = await post(url, wrong, { accept });
  assert.equal([status, type], [400, `${accept}; charset=utf-8`]);
  assert.match(body.errors?.[0]?.message ?? '', 'Did you mean "books"');
  assert.is((await post(url, wrong)).status, 200);
  const long = { query: `{ ${'books { id } '.repeat(20)} }` };
  assert.match((await post(url, long)).body.errors?.[0]?.message ?? '', /more that 60 tokens/);

  assert.is((await get(url, { query: change })).headers.allow, 'POST');
  assert.is((await get(url, { query: change })).status, 405);
  assert.is((await request(url, '/graphql', { method: 'PUT' })).status, 405);
  assert.is((await request(url, '/graphql?query={books{id}}', { method: 'HEAD' })).status, 200);
  const invalid = [{}, { query, variables: [] }, { query, operationName: 7 }];
  const refused = await Promise.all(invalid.map((given) => post(url, given)));
  const stderr = refused.map(({ status, body }) => `${status} ${body.errors?.[0]?.message}`);
  assert.equal(stderr, ['400 Missing query', '400 Invalid variables', '400 Invalid operationName']);
  assert.is((await get(url, { query, variables: '{' })).status, 400);
  for (const headers of [{ 'content-type': 'text/plain' }, { accept: 'text/plain' }]) {
    const { status, type, body } = await post(url, { query: change }, headers);
    assert.equal([status, type], ['accept' in headers ? 406 : 415, 'application/problem+json']);
    assert.match(body.message ?? '', 'Send the query as JSON');
  }
}

test('queries and mutations are answered in development and in production', async () => {
  const made = withGraphql(files);
  const server = await dev(made);
  await answers(server.url);
  const cover = { query: '{ book(id: 1) { cover } }' };
  assert.is((await post(server.url, cover)).body.errors?.[0]?.message, 'no ink');
  await server.waitFor(/POST \/graphql failed at book\.cover[\s\S]*?no ink/);
  assert.equal((await server.stop()).stdout.split('[scope closed]').length, 3);

  await build(made);
  const { url, output, stop } = await production(made);
  await answers(url);
  assert.is((await post(url, cover)).body.errors?.[0]?.message, 'Something went wrong on the server');
  await output.waitFor(/failed at book\.cover[\s\S]*?no ink/);
  await stop();
});

test('mistakes are reported together', async () => {
  const made = withGraphql({
    ...config(),
    'graphql/schema.ts': schema('type Query { x: Int, y: Int, z: Int } type Book { x: Int }'),
    'graphql/Query/x.ts': 'export default () => 1;\n',
    'graphql/Query/zz.ts': resolver('() => 1'),
    'graphql/Qery/x.ts': resolver('() => 1'),
    'graphql/lost.ts': resolver('() => 1'),
    'graphql/Query/y.ts': resolver('1'),
    'graphql/Book/x.ts': resolver('() => 1'),
    'graphql/Book/x.mts': resolver('() => 1'),
  });
  const stderr = await refusal(made, 'routes');
  assert.match(stderr, /^7 problems in /, stderr);
  const advice = 'Export default resolver((source, args, ctx) => …).';
  assertReported(stderr, made, 'graphql/Query/x.ts', `is not a resolver. ${advice}`);
  const unknown = 'which the schema does not have. Rename it, or add the field.';
  assertReported(stderr, made, 'graphql/Query/zz.ts', `resolves Query.zz, ${unknown}`);
  assertReported(stderr, made, 'graphql/Qery/x.ts', `resolves Qery.x, ${unknown}`);
  assertReported(stderr, made, 'graphql/lost.ts', 'resolves no field. Move it to graphql/<Type>/<field>');
  assertReported(
    stderr,
    made,
    'graphql/Query/y.ts',
    ':3: throws when it is imported: resolver() takes a function',
  );
  assertReported(
    stderr,
    made,
    'graphql/Book/x.ts',
    'resolves Book.x, which src/graphql/Book/x.mts resolves too.',
  );
  const unresolved = 'has Query.z, which nothing resolves. Add src/graphql/Query/z.ts.';
  assertReported(stderr, made, 'graphql/schema.ts', unresolved);
});

test('a schema with mistakes is named', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    [schema('type Query {\n x: }'), /cannot be read, in line 2 of the text: Syntax Error: Expected Name/],
    [schema('type Query { x: Nothing }'), /cannot be read: Unknown type "Nothing"\./],
    [schema('type Book { x: Int }'), /has a mistake in its schema: Query root type must be provided\./],
    [
      schema('type Query { x: Int } type Subscription { x: Int }'),
      /in its schema: Subscriptions are not supported\./,
    ],
    ['export default 1;\n', /is not a schema\. Export default schema\(`type Query \{ … \}`\)\./],
  ];
  for (const [text, expected] of cases) {
    const made = { ...config(), 'graphql/schema.ts': text, 'graphql/Query/x.ts': resolver('() => 1') };
    const stderr = await refusal(withGraphql(made), 'routes');
    assert.match(stderr, /^ *GRAPHQL-\d src\/graphql\/schema\.ts: /m);
    assert.match(stderr, expected);
  }
  const none = withGraphql({ ...config(), 'graphql/Query/x.ts': resolver('() => 1') });
  const missing = 'needs a schema beside it. Add src/graphql/schema.ts.';
  assertReported(await refusal(none, 'routes'), none, 'graphql/Query/x.ts', missing);
});

test.run();
