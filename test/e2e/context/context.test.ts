import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { di, middleware, module, route, service } from '../../harness/source.js';

const printing = (name: string, value: string, before = '') => `{
  ${before}
  console.log('[make ${name}]');
  onDestroy(() => console.log('[destroy ${name}]'));
  return ${value};
}`;

const files: Files = {
  // `pool` is made late in the alphabet for one reader and early for the other.
  'services/pool.ts': service(
    `async (ctx, { onDestroy }) => ${printing('pool', `{ name: 'pool' }`, 'await new Promise(setImmediate);')}`,
  ),
  'services/a-repo.ts': service(
    `(ctx, { onDestroy }) => ${printing('a-repo', '{ from }', 'const from = ctx.pool.name;')}`,
  ),
  'services/zRepo.ts': service(
    `async (ctx, { onDestroy }) => ${printing('zRepo', '{ from }', 'const from = ctx.pool.name;')}`,
  ),
  // Asynchronous services that read one another; the first is available at once.
  'services/m1.ts': service(`async () => 'm1'`),
  'services/m2.ts': service(
    'async (ctx) => { const { m1 } = ctx; await new Promise(setImmediate); return m1 + " m2"; }',
  ),
  'services/m0.ts': service(
    'async (ctx) => { const { m2 } = ctx; await new Promise(setImmediate); return m2 + " m0"; }',
  ),
  'services/billing/invoices.ts': service('() => ({ list: [1, 2] })'),
  'services/user-store.ts': service(
    '() => new (class UserStore { count = 0; next() { return ++this.count; } })()',
  ),
  'di/settings.ts': di('singleton', `{ region: 'north' }`),
  'di/made.ts': di('singleton', '(ctx) => ({ region: ctx.settings.region })'),
  'di/five.ts': di('request', '5'),
  'di/visitor.ts': di(
    'request',
    `(ctx, { onDestroy, req }) => ${printing('visitor', `{ name: req?.header('x-name'), store: ctx.userStore }`)}`,
  ),
  'di/cart.ts': di('request', `(ctx, { onDestroy }) => ${printing('cart', '{ of: ctx.visitor.name }')}`),
  'di/profile.ts': di(
    'request',
    `async (ctx, { onDestroy }) => ${printing('profile', '{ name: ctx.visitor.name }', 'await null;')}`,
  ),
  'di/unused.ts': di('request', `(ctx, { onDestroy }) => ${printing('unused', '1')}`),

  'middlewares/1.visitor.ts': middleware(`(req, res, ctx, next) => {
       if (req.header('x-name')) res.header('x-visitor', ctx.visitor.name);
       return next();
     }`),
  'api/chain.ts': route('get', '(req, res, ctx) => ctx.m0'),
  'api/values.ts': route(`(req, res, ctx) => ({
       aRepo: ctx.aRepo, zRepo: ctx.zRepo, pool: ctx.pool, invoices: ctx.billingInvoices.list,
       settings: ctx.settings, made: ctx.made, five: ctx.five,
     })`),
  'api/keys.ts': route(
    `(req, res, ctx) => ['userStore', 'billingInvoices', 'visitor', 'logger', 'user-store', 'nope', 'req'].filter((key) => key in ctx)`,
  ),
  'api/count.ts': route('get', '(req, res, ctx) => ctx.userStore.next()'),
  'api/cart.ts': route(`async (req, res, ctx) => ({
       of: ctx.cart.of, once: ctx.cart === ctx.cart && ctx.visitor === ctx.visitor,
       store: ctx.visitor.store === ctx.userStore, promise: ctx.profile instanceof Promise, profile: (await ctx.profile).name,
     })`),
  'api/thrown.ts': route('get', `(req, res, ctx) => { throw new Error('after ' + ctx.visitor.name); }`),
  'api/keep.ts': `let kept;\n${module(
    'get',
    `export default get((req, res, ctx) => {
       if (!kept) { kept = ctx; ctx.visitor; return 'kept'; }
       try { return { late: kept.visitor.name, cart: kept.cart }; } catch (error) { return { refused: error.message }; }
     });`,
  )}`,
};

served(files, (test, site) => {
  const json = async (path: string, name?: string) =>
    (await site.raw(path, { headers: name ? { 'x-name': name } : {} })).json;

  test('singletons are plain values, created once before the app serves', async () => {
    const made = site.dev.output.stdout.slice(0, site.dev.output.stdout.indexOf('http://'));
    for (const name of ['pool', 'a-repo', 'zRepo']) assert.is(made.split(`[make ${name}]`).length, 2, name);
    assert.equal(await json('/api/values'), {
      aRepo: { from: 'pool' },
      zRepo: { from: 'pool' },
      pool: { name: 'pool' },
      invoices: [1, 2],
      settings: { region: 'north' },
      made: { region: 'north' },
      five: 5,
    });
  });

  test('ctx has one key per file, derived from its name, and logger', async () => {
    assert.equal(await json('/api/keys'), ['userStore', 'billingInvoices', 'visitor', 'logger']);
  });

  test('asynchronous singletons can read each other in any order', async () => {
    assert.is((await site.raw('/api/chain')).json, 'm1 m2 m0');
  });

  test('all requests share a singleton', async () => {
    const first = Number(await json('/api/count'));
    assert.is(await json('/api/count'), first + 1);
  });

  test('each request creates its own request-scoped value once', async () => {
    const from = site.dev.output.mark();
    const answers = await Promise.all(['ann', 'ben', 'cem'].map((name) => json('/api/cart', name)));
    assert.equal(
      answers,
      ['ann', 'ben', 'cem'].map((name) => ({
        of: name,
        once: true,
        store: true,
        promise: true,
        profile: name,
      })),
    );
    await site.dev.waitFor(/(\[destroy visitor\][\s\S]*){3}/, from);
    const since = site.dev.output.all.slice(from);
    for (const name of ['visitor', 'cart', 'profile'])
      assert.is(since.split(`[make ${name}]`).length, 4, name);
    assert.not.match(since, '[make unused]');
  });

  test('request-scoped values are destroyed with the request, in reverse order', async () => {
    const from = site.dev.output.mark();
    await json('/api/cart', 'dov');
    await site.dev.waitFor(/\[destroy profile\]\s+\[destroy cart\]\s+\[destroy visitor\]/, from);
  });

  test('they are destroyed if the handler throws, too', async () => {
    const from = site.dev.output.mark();
    assert.is((await site.raw('/api/thrown', { headers: { 'x-name': 'eve' } })).status, 500);
    await site.dev.waitFor(/\[destroy visitor\]/, from);
  });

  test('the ctx of a request rejects access after the request', async () => {
    const from = site.dev.output.mark();
    assert.is(await json('/api/keep', 'fay'), 'kept');
    await site.dev.waitFor(/\[destroy visitor\]/, from);
    const late = (await json('/api/keep')) as { refused?: string };
    assert.type(late.refused, 'string', JSON.stringify(late));
  });
});
