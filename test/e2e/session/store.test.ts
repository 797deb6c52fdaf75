import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Visitor } from '../../harness/cookie-client.js';
import { layouts, project } from '../../harness/project.js';
import { unsampled } from '../../harness/sample.js';
import { di, module, route } from '../../harness/source.js';
import { config, files, running, withStore } from './store-project.js';

const [old, fresh] = ['o', 'f'].map((letter) => letter.repeat(32));

for (const layout of layouts) {
  const test = suite(layout);

  test('a custom store outlives the process, and secrets rotate', async () => {
    const made = project({ ...withStore, '.env': `SESSION_SECRET=${old}\n` }, layout);
    let cookie: string | undefined;
    const output = await running(made, async ({ url }) => {
      const ann = new Visitor(url);
      await ann.post('/api/add/pen');
      cookie = ann.cookie;
    });
    assert.match(output, /\[store set 100\][\s\S]*\[store close\]/);

    made.write('.env', `SESSION_SECRET=${fresh}, ${old}\n`);
    let renewed: string | undefined;
    await running(made, async ({ url }) => {
      const ann = new Visitor(url, cookie);
      assert.equal(await ann.json('/api/cart'), ['pen']);
      await ann.post('/api/add/ink');
      renewed = ann.cookie;
    });
    assert.is.not(renewed, cookie);
    assert.is(renewed?.split('.')[0], cookie?.split('.')[0]);

    made.write('.env', `SESSION_SECRET=${fresh}\n`);
    await running(made, async ({ url }) => {
      assert.equal(await new Visitor(url, renewed).json('/api/cart'), ['pen', 'ink']);
      assert.equal(await new Visitor(url, cookie).json('/api/cart'), []);
    });
  });

  test.run();
}

const test = suite('session store');

unsampled(test)('a visit extends a session after half its lifetime; without visits it expires', async () => {
  const made = project({ ...files, 'fwk.config.ts': config('{ maxAge: 100 }') });
  await running(made, async ({ url }) => {
    const ann = new Visitor(url);
    const clock = new Visitor(url);
    await ann.post('/api/add/pen');
    await clock.post('/api/later/40');
    assert.is((await ann.visit('/api/plain')).headers['set-cookie'], undefined);
    await clock.post('/api/later/40');
    const again = await ann.visit('/api/plain');
    assert.match(again.headers['set-cookie']?.join() ?? '', /^session=.*; Max-Age=100;/);
    await clock.post('/api/later/99');
    assert.equal(await ann.json('/api/cart'), ['pen']);
    await clock.post('/api/later/100');
    const over = await ann.visit('/api/cart');
    assert.equal([over.json, over.headers['set-cookie']], [[], undefined]);
  });
});

unsampled(test)('the same holds for a store that never deletes', async () => {
  await running(project(withStore), async ({ url }) => {
    const ann = new Visitor(url);
    await ann.post('/api/add/pen');
    await ann.post('/api/later/100');
    assert.equal(await ann.json('/api/cart'), []);
  });
});

unsampled(test)('a session that cannot be stored under a new ID keeps its own', async () => {
  const made = project({
    ...withStore,
    'api/full/[text].ts': route('post', '(req) => { process.env.FULL = req.params.text.slice(2); }'),
    'api/login.ts': module('post, renewSession', 'export default post((req) => renewSession(req));'),
  });
  await running(made, async ({ url }) => {
    const ann = new Visitor(url);
    await ann.post('/api/add/pen');
    await ann.post('/api/full/isfull');
    assert.is((await ann.post('/api/login')).status, 500);
    await ann.post('/api/full/is');
    assert.equal(await ann.json('/api/cart'), ['pen']);
    assert.is((await ann.post('/api/login')).status, 204);
    assert.equal(await ann.json('/api/cart'), ['pen']);
  });
});

test('a visitor who only reads is not stored', async () => {
  const output = await running(project(withStore), async ({ url }) => {
    for (const path of ['/api/cart', '/api/plain']) await new Visitor(url).visit(path);
  });
  assert.not.match(output, /\[store (set|delete)/);
});

test('concurrent requests of one visitor are stored one after the other', async () => {
  const made = project({
    ...withStore,
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`di/part-${index}.ts`, di('session', `{ count: 0 }`)]),
    ),
    'api/parts.ts': route(
      '(req, res, ctx) => Array.from({ length: 8 }, (_, index) => ctx["part" + index].count)',
    ),
    'api/part/[index].ts': route('post', '(req, res, ctx) => { ctx["part" + req.params.index].count += 1; }'),
  });
  await running(made, async ({ url }) => {
    const ann = new Visitor(url);
    await ann.post('/api/add/pen');
    await Promise.all(Array.from({ length: 8 }, (_, index) => ann.post(`/api/part/${index}`)));
    assert.equal(await ann.json('/api/parts'), Array(8).fill(1));
    assert.equal(await ann.json('/api/cart'), ['pen']);
  });
});

unsampled(test)('an error of the store is a 500 without a cookie, and is logged', async () => {
  const writing = (names: string, answer: string) =>
    route(names, `async (req, res, ctx) => { ctx.cart.items.push('pen'); ${answer} }`);
  const made = project({
    ...withStore,
    '.env': 'FULL=1\n',
    'api/returned.ts': writing('get', 'return 1;'),
    'api/sent.ts': writing('get', 'res.json(1); await new Promise(setImmediate);'),
    'api/stream.ts': writing('get', 'return (async function* () { yield 1; })();'),
    'api/missing.ts': `import { createReadStream } from 'node:fs';\n${writing('get', `return createReadStream('nowhere');`)}`,
    'api/refused.ts': writing('get, error', `throw error(409, 'no');`),
  });
  const names = ['returned', 'sent', 'stream', 'missing', 'refused'];
  const output = await running(made, async ({ url }) => {
    for (const name of names) {
      const answer = await new Visitor(url).visit(`/api/${name}`);
      assert.equal([answer.status, answer.headers['set-cookie']], [500, undefined], name);
    }
    assert.equal(await new Visitor(url).json('/api/cart'), []);
  });
  for (const name of names)
    assert.match(output, `GET /api/${name} failed in src/api/${name}.ts:\nError: no space left`);
});

test.run();
