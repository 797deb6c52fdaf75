import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { production } from '../../harness/production.js';
import { running } from '../../harness/running.js';
import { di, module, route, service } from '../../harness/source.js';

const failing = (name: string) => `async () => { await null; throw new Error('no ${name}'); }`;

const test = suite('destroying values');

test('services end after the request-scoped values', async () => {
  const app = await production({
    'services/database.ts': service(`(ctx, { onDestroy }) => {
         const database = { isOpen: true };
         onDestroy(() => { database.isOpen = false; });
         return database;
       }`),
    'di/transaction.ts': di(
      'request',
      `({ database }, { onDestroy }) => {
         onDestroy(async () => {
           console.log('[ending]');
           await new Promise((resolve) => process.once('SIGTERM', resolve));
           for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
           console.log('[ended] ' + database.isOpen);
         });
         return 1;
       }`,
    ),
    'api/x.ts': route('get', '(req, res, { transaction }) => 1'),
  });
  await app.raw('/api/x');
  await app.output.waitFor(/\[ending\]/);
  await app.stop();
  assert.match(app.output.all, /\[ending\]\s+\[ended\] true/);
});

test('a store that fails to close does not prevent services from ending', async () => {
  const app = await production({
    'fwk.config.ts': module(
      'defineConfig',
      `const store = { get() {}, set() {}, delete() {}, close: async () => { throw new Error('the store is gone'); } };
       export default defineConfig({ session: { store, secrets: 's'.repeat(32) } });`,
    ),
    'di/cart.ts': di('session', '{ items: [] }'),
    'services/database.ts': service(
      `(ctx, { onDestroy }) => { onDestroy(() => console.log('[closed]')); return {}; }`,
    ),
    'api/x.ts': route('get', '(req, res, ctx) => ctx.cart'),
  });
  assert.equal((await app.raw('/api/x')).json, { items: [] });
  await app.stop();
  assert.match(
    app.output.all,
    /The session store could not be closed","err":\{"type":"Error","message":"the store is gone"/,
  );
  assert.match(app.output.all, '[closed]');
});

test('a failing logger does not prevent services from ending', async () => {
  const app = await production({
    'main.ts': `import { bootstrap } from 'fwkit';
const logger = { debug() {}, info() {}, warn() {}, error() { throw new Error('the log is full'); } };
console.log('serves', ...(await bootstrap({ host: 'localhost', port: 0, logger })));
`,
    'di/me.ts': di('request', failing('name')),
    'di/closing.ts': di('request', `(ctx, { onDestroy }) => { onDestroy(${failing('rest')}); return 1; }`),
    'api/x.ts': route('get', `(req, res, { me, closing }) => 'fine'`),
  });
  assert.is((await app.raw('/api/x')).json, 'fine');
  await app.output.waitFor(/no rest \(it could not be logged: the log is full\)/);
  await app.output.waitFor(/no name \(it could not be logged/);
  await app.stop();
});

/** A service that can begin `times` times. */
const beginning = (name: string, times: number) =>
  module(
    'service',
    `let left = ${times};
     export default service((ctx, { onStart }) => {
       onStart(async () => {
         await null;
         if (left-- === 0) throw new Error('${name} cannot begin');
         console.log('[begin ${name}]');
         return () => console.log('[stop ${name}]');
       });
       return {};
     });`,
  );

test('a service that cannot start again is reported, and the other services of its version start', () =>
  running(
    {
      'services/a.ts': beginning('a', 1),
      'services/b.ts': beginning('b', 9),
      'api/x.ts': route('get', "(req, res, ctx) => ['a', 'b', 'logger'].filter((key) => key in ctx)"),
    },
    async ({ server, made, json }) => {
      await server.waitFor(/\[begin a\]\s+\[begin b\]/);
      const from = server.output.mark();
      made.write('services/a.ts', beginning('newer a', 0));
      made.write('services/b.ts', beginning('newer b', 9));
      await server.waitFor(/onStart of src\/services\/a\.ts failed:/, from);
      await server.waitFor(/\[stop b\]\s[\s\S]*\[begin b\]/, from);
      await server.waitFor(/newer a cannot begin[\s\S]*still serving the last good version/, from);
      assert.equal(await json('/api/x'), ['a', 'b', 'logger']);
    },
  ));

test.run();
