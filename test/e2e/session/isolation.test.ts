import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dev, dev } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';

const test = suite('isolation of visitors');

const files = {
  'di/cart.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ items: [] as string[] }) });`,
  'lib/visitor.ts': `import { AsyncLocalStorage } from 'node:async_hooks';
export const visitor = new AsyncLocalStorage<string>();`,
  'middlewares/visitor.ts': `import { middleware } from 'fwkit';
import { visitor } from '../lib/visitor.js';
export default middleware((req, _res, ctx, next) => {
  if (req.query.visit !== undefined) ctx.cart.items.push('visit');
  return visitor.run(req.header('x-visitor') ?? 'nobody', () => next());
});`,
  'api/cached.get.ts': `import { get } from 'fwkit';
import { visitor } from '../lib/visitor.js';
export default get(async () => {
  await new Promise(setImmediate);
  return { visitor: visitor.getStore() ?? 'none' };
}).meta({ cache: { maxAge: 60 } });`,
  'api/cart.get.ts': `import { get } from 'fwkit';
export default get((_req, _res, ctx) => ctx.cart.items);`,
  'api/cart.post.ts': `import { post } from 'fwkit';
export default post<string, unknown>((req, _res, ctx) => {
  ctx.cart.items.push(req.body);
  return ctx.cart.items.length;
});`,
  'api/public.get.ts': `import { get } from 'fwkit';
export default get((req, res) => {
  res.header('Cache-Control', 'public, max-age=60, s-maxage=600');
  if (req.query.cookie !== undefined) res.cookie('seen', '1');
  return 'ok';
});`,
};

const config = (session: string) =>
  `import { defineConfig } from 'fwkit';\nexport default defineConfig({ session: ${session} });\n`;

async function running(session: string, use: (app: Dev) => Promise<void>): Promise<void> {
  const app = await dev(project({ ...files, 'fwk.config.ts': config(session) }));
  try {
    await use(app);
  } finally {
    await app.stop();
  }
}

const post = (body: string, cookie?: string) => ({
  method: 'POST',
  headers: { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}) },
  body,
});
const cookieOf = (response: Response) => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';

test('a cached handler runs outside the asynchronous context of the first visitor', () =>
  running('{}', async (app) => {
    const responses = await Promise.all(
      ['ada', 'bob'].map(async (visitor) => {
        const response = await app.fetch('/api/cached', { headers: { 'x-visitor': visitor } });
        return response.json();
      }),
    );
    assert.equal(responses, [{ visitor: 'none' }, { visitor: 'none' }]);
  }));

test('shared caches never store a response that sets a cookie or contains session data', () =>
  running('{}', async (app) => {
    const cacheControl = async (path: string) => (await app.fetch(path)).headers.get('cache-control');
    assert.is(await cacheControl('/api/public'), 'public, max-age=60, s-maxage=600');
    assert.is(await cacheControl('/api/public?cookie'), 'private, max-age=60');
    assert.is(await cacheControl('/api/cached?visit'), 'private, max-age=60');
    const read = await app.fetch('/api/cart');
    assert.is(read.headers.get('cache-control'), 'private');
    assert.is(read.headers.get('vary'), 'Cookie');
  }));

test('a forged cookie of the same name does not replace the session', () =>
  running('{}', async (app) => {
    const cookie = cookieOf(await app.fetch('/api/cart', post('book')));
    assert.match(cookie, /^session=/);
    for (const cookies of [
      `session=junk; ${cookie}`,
      `session=a.b; xsession=1; ${cookie}; session=`,
      cookie,
    ]) {
      const response = await app.fetch('/api/cart', { headers: { cookie: cookies } });
      assert.equal(await response.json(), ['book'], cookies);
    }
  }));

test('over https only, the cookie has the prefix __Host-, and the bare name is ignored', () =>
  running('{ secure: true }', async (app) => {
    const cookie = cookieOf(await app.fetch('/api/cart', post('book')));
    assert.match(cookie, /^__Host-session=/);
    const items = async (cookie: string) => (await app.fetch('/api/cart', { headers: { cookie } })).json();
    assert.equal(await items(cookie), ['book']);
    assert.equal(await items(cookie.replace('__Host-', '')), []);
  }));

test('a prefix that browsers would reject stops the start', () =>
  running(`{ cookie: '__Host-shop' }`, async (app) => {
    const response = await app.fetch('/api/cart', { headers: { accept: 'application/json' } });
    assert.is(response.status, 500);
    assert.match(await response.text(), /FWK215.*set session\.secure to true/);
  }));

test('a session has a maximum size', () =>
  running('{ maxSize: 100 }', async (app) => {
    const cookie = cookieOf(await app.fetch('/api/cart', post('x'.repeat(50))));
    const refused = await app.fetch('/api/cart', post('y'.repeat(50), cookie));
    assert.is(refused.status, 500);
    assert.match(await refused.text(), /FWK316.*more than session\.maxSize \(100\).*ctx\.cart/);
    const kept = await app.fetch('/api/cart', { headers: { cookie } });
    assert.equal(await kept.json(), ['x'.repeat(50)]);
  }));

test.run();
