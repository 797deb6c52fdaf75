import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestApp, TestMachine } from '../../../testkit/index.js';
import { type Files, project } from '../../harness/project.js';
import { configFile, module } from '../../harness/source.js';
import { createTestApp, testMachines } from '../../harness/testing.js';

// `cache: { shared }`: all machines answer with a result that one machine computed, until any of them purges it.

/** Counts in all apps of the test, by name. */
const runs: Record<string, number> = {};
Object.assign(globalThis, { cacheRuns: runs });

const cached = (name: string, body: string, meta: string) =>
  module(
    'get',
    `export default get(async (req, res) => {
       const run = (globalThis.cacheRuns.${name} = (globalThis.cacheRuns.${name} ?? 0) + 1);
       await globalThis.cacheGate?.();
       ${body}
     }).meta({ cache: ${meta} });`,
  );

const config = (cache: string) => configFile(`{ cache: ${cache} }`);

const files: Files = {
  'fwk.config.ts': config(`{ shared: 'one', maxSize: 200_000, maxEntry: 20_000 }`),
  'api/books.get.ts': cached(
    'books',
    `res.header('x-own', 'kept'); return { run, q: req.query.q };`,
    `{ maxAge: 60, tags: ['books'] }`,
  ),
  'api/bytes.get.ts': cached(
    'bytes',
    `res.type('application/octet-stream'); return Buffer.from([0, 255, run, 10]);`,
    '{ maxAge: 60 }',
  ),
  'api/stale.get.ts': cached('stale', 'return { run };', '{ maxAge: 0, swr: 60 }'),
  'api/large.get.ts': cached('large', `return 'x'.repeat(15_000) + run;`, '{ maxAge: 60 }'),
  'api/wide.get.ts': cached('wide', `return '€'.repeat(5_000) + run;`, '{ maxAge: 60 }'),
  'api/mine.get.ts': cached(
    'mine',
    `return { who: req.header('x-user') };`,
    `{ maxAge: 60, key: (req) => req.header('x-user') ?? '' }`,
  ),
  'api/purge.post.ts': module('post, purge', 'export default post((req) => purge(req.query.tag));'),
};

interface Machines {
  readonly apps: readonly [TestApp, TestApp];
  readonly machines: readonly [TestMachine, TestMachine];
}

async function together(use: (machines: Machines) => Promise<void>, more: Files = {}): Promise<void> {
  for (const name of Object.keys(runs)) delete runs[name];
  const make = testMachines();
  const machines = [make(), make()] as const;
  const roots = [project(files).root, project({ ...files, ...more }).root] as const;
  const boot = (at: 0 | 1) => createTestApp({ dir: roots[at], machine: machines[at] });
  const apps = [await boot(0), await boot(1)] as const;
  try {
    await use({ apps, machines });
  } finally {
    Object.assign(globalThis, { cacheGate: undefined });
    for (const app of apps) await app.close();
  }
}

/** The result is stored in the shared memory after the response. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
const json = async (app: TestApp, at: string, headers: Record<string, string> = {}) =>
  (await app.get(at, { headers })).json();

const test = suite('a cache of several machines');

test('a machine answers with the response that another one computed', () =>
  together(async ({ apps: [a, b] }) => {
    const first = await a.get('/api/books?q=1');
    await settled();
    const second = await b.get('/api/books?q=1');
    assert.equal([second.status, await second.text()], [200, await first.text()]);
    for (const name of ['content-type', 'etag', 'x-own', 'cache-control'])
      assert.is(second.headers.get(name), first.headers.get(name), name);
    assert.is(runs.books, 1);
    assert.equal(await json(b, '/api/books?q=2'), { run: 2, q: '2' });
    const bytes = await a.get('/api/bytes');
    await settled();
    const same = await b.get('/api/bytes');
    assert.equal([...new Uint8Array(await same.arrayBuffer())], [0, 255, 1, 10]);
    assert.is(same.headers.get('content-type'), bytes.headers.get('content-type'));
    // By whom it is, as ever.
    assert.equal(await json(a, '/api/mine', { 'x-user': 'ann' }), { who: 'ann' });
    await settled();
    assert.equal(await json(b, '/api/mine', { 'x-user': 'ben' }), { who: 'ben' });
    assert.equal(await json(b, '/api/mine', { 'x-user': 'ann' }), { who: 'ann' });
    assert.is(runs.mine, 2);
  }));

test('a purge reaches all machines, and responses that are being computed', () =>
  together(async ({ apps: [a, b] }) => {
    await a.get('/api/books');
    await settled();
    await b.get('/api/books');
    assert.is(runs.books, 1);
    await b.post('/api/purge?tag=books');
    await settled();
    assert.equal(await json(a, '/api/books'), { run: 2 });
    await settled();
    assert.equal(await json(b, '/api/books'), { run: 2 });
    // Computed before the purge, so it must not be stored.
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    Object.assign(globalThis, { cacheGate: () => gate });
    const slow = json(a, '/api/books?slow');
    while (runs.books !== 3) await settled();
    await b.post('/api/purge?tag=books');
    await settled();
    open();
    assert.equal(await slow, { run: 3 });
    await settled();
    assert.equal(await json(b, '/api/books?slow'), { run: 4 });
  }));

test('a disconnected machine computes alone, and applies purges when it is back', () =>
  together(async ({ apps: [a, b], machines: [, cut] }) => {
    await a.get('/api/books');
    await settled();
    cut.cut();
    assert.equal(await json(b, '/api/books'), { run: 2 });
    await b.post('/api/purge?tag=books');
    assert.equal(await json(b, '/api/books'), { run: 3 });
    cut.mend();
    // It reconnects; until then it sees no data of the others.
    for (const limit = performance.now() + 5_000; ; await settled()) {
      const { run } = (await json(a, `/api/books?again=${performance.now()}`)) as { run: number };
      const key = `/api/books?mended=${run}`;
      await a.get(key);
      await settled();
      const before = runs.books;
      await b.get(key);
      if (runs.books === before) break;
      assert.ok(performance.now() < limit, 'still computes alone');
    }
    assert.is(((await json(b, '/api/books')) as { run: number }).run, 3, 'its own is newer than its purge');
  }));

test('a stale response is looked up on the other machine before it is computed', () =>
  together(async ({ apps: [a, b] }) => {
    assert.equal(await json(a, '/api/stale'), { run: 1 });
    await settled();
    assert.equal(await json(b, '/api/stale'), { run: 1 });
    await settled();
    // Each of both found it stale, and computed it behind the answer.
    assert.ok((runs.stale ?? 0) >= 1 && (runs.stale ?? 0) <= 3, `${runs.stale}`);
  }));

for (const [name, bytes] of [
  ['large', 15_000],
  ['wide', 3 * 5_000],
] as const)
  test(`the shared cache is limited, ${bytes} bytes each: larger responses stay local (${name})`, () =>
    together(async ({ apps: [a, b] }) => {
      const keys = Array.from({ length: 20 }, (_, n) => `/api/${name}?n=${n}`);
      for (const key of keys) await a.get(key);
      await settled();
      for (const key of keys) await b.get(key);
      const found = 2 * keys.length - (runs[name] ?? 0);
      // Half of 200,000 bytes in one lifetime, or in each of two.
      assert.ok(found >= 5 && found <= 12, `${found} of them`);
    }));

test('other releases, and apps that do not share, have their own responses', async () => {
  for (const other of [`{ shared: 'two' }`, '{}'])
    await together(
      async ({ apps: [a, b] }) => {
        await a.get('/api/books');
        await settled();
        assert.equal(await json(b, '/api/books'), { run: 2 });
      },
      { 'fwk.config.ts': config(other) },
    );
});

test.run();
