import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clientOf, entryFile, rejected } from '../../harness/client.js';
import { tools } from '../../harness/packages.js';

// The published entry with the real core of TanStack Query. test/e2e/client/types.test.ts checks its types.

interface Options {
  readonly queryKey: readonly unknown[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<unknown>;
}
interface QueryClient {
  fetchQuery(options: object): Promise<unknown>;
  getQueryData(key: readonly unknown[]): unknown;
  invalidateQueries(filter: object): Promise<void>;
  getQueryState(key: readonly unknown[]): { readonly isInvalidated: boolean } | undefined;
  cancelQueries(filter: object): Promise<void>;
}

const { queryOptions } = (await import(pathToFileURL(entryFile('query')).href)) as {
  queryOptions(api: object, path: string, input?: object): Options;
};
const { QueryClient } = createRequire(path.join(tools(), 'package.json'))('@tanstack/query-core') as {
  QueryClient: new (config?: object) => QueryClient;
};

let requests: Request[] = [];
const api = clientOf('https://shop.example', {
  async fetch(request) {
    requests.push(request);
    if (request.url.endsWith('/slow'))
      await new Promise((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      );
    return request.url.endsWith('/2')
      ? Response.json({ message: 'gone', since: 1 }, { status: 410 })
      : Response.json({ url: request.url });
  },
});
const optionsOf = (path: string, input?: object): Options => queryOptions(api, path, input);

const test = suite('queryOptions');
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });

test.before.each(() => {
  requests = [];
});

test('fetches the data once, under a key that JSON can hold', async () => {
  const input = { params: { id: 1n }, query: { since: new Date(0), page: undefined } };
  const options = optionsOf('/books/:id', input);
  assert.equal(options.queryKey, [
    '/books/:id',
    { params: { id: '1' }, query: { since: '1970-01-01T00:00:00.000Z' } },
  ]);
  const book = { url: 'https://shop.example/books/1?since=1970-01-01T00%3A00%3A00.000Z' };
  assert.equal(await queries.fetchQuery({ ...options, staleTime: 60_000 }), book);
  assert.equal(await queries.fetchQuery({ ...optionsOf('/books/:id', input), staleTime: 60_000 }), book);
  assert.equal(queries.getQueryData(options.queryKey), book);
  assert.is(requests.length, 1);
});

test('the path matches all its queries, and part of the input matches some', async () => {
  const [one, three] = [1, 3].map((id) => optionsOf('/books/:id', { params: { id }, query: { a: 1 } }));
  for (const options of [one, three]) await queries.fetchQuery(options as Options);
  const invalid = () => [one, three].map((it) => queries.getQueryState(it?.queryKey ?? [])?.isInvalidated);
  await queries.invalidateQueries({ queryKey: ['/books/:id', { params: { id: 3 } }] });
  assert.equal(invalid(), [false, true]);
  await queries.invalidateQueries({ queryKey: ['/books/:id'] });
  assert.equal(invalid(), [true, true]);
});

test('a failed call is an error with its status code', async () => {
  const error = await rejected(queries.fetchQuery(optionsOf('/books/:id', { params: { id: 2 } })));
  assert.equal([error.message, error.status, error.error], ['gone', 410, { message: 'gone', since: 1 }]);
});

test('canceling a query aborts its request', async () => {
  const call = rejected(queries.fetchQuery(optionsOf('/slow')));
  while (requests.length === 0) await Promise.resolve();
  await queries.cancelQueries({ queryKey: ['/slow'] });
  await call;
  assert.ok(requests[0]?.signal.aborted);
});

test.run();
