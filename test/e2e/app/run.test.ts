import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { App, RuntimeCtx } from '../../../app/entries/index.js';
import { type Files, project } from '../../harness/project.js';
import { createApp } from '../../harness/settings.js';
import { configFile, di, route, service } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

type Ctx = RuntimeCtx & Record<string, unknown>;
type Shop = Pick<App, 'run' | 'close' | 'routes'> & { readonly ctx: object; readonly fetch: App['fetch'] };

const files: Files = {
  'fwk.config.ts': configFile(`{ session: { secrets: 's'.repeat(32) } }`),
  'services/told.ts': service(`(ctx, { onDestroy }) => {
       const told = [];
       onDestroy(() => told.push('service'));
       return told;
     }`),
  'services/users.ts': service(`async () => ({ all: ['ann'] })`),
  'di/visitor.ts': di(
    'request',
    `({ told }, { req, onDestroy }) => {
       onDestroy(async () => { await null; told.push('visitor'); });
       return { req: req === undefined, name: 'nobody' };
     }`,
  ),
  'di/me.ts': di(
    'request',
    `async (ctx) => { await null; return ctx.currentUser?.name ?? ctx.visitor.name; }`,
  ),
  'di/current-user.ts': di('session', 'null'),
  'di/cart.ts': di('session', '{ items: [] }'),
  'api/me.get.ts': route('get', '(req, res, ctx) => ctx.currentUser'),
};

const bare: Files = {
  'services/users.ts': files['services/users.ts'] ?? '',
  'api/x.get.ts': route('get', '() => 1'),
};

const ways: Readonly<Record<string, (files: Files) => Promise<Shop>>> = {
  createApp: (files) => createApp(project(files, 'js'), '.'),
  createTestApp: async (files) => {
    const app = await createTestApp({ dir: project(files).root });
    return { ...app, fetch: (asked) => app.get(new URL(asked.url).pathname) };
  },
};

const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    (thrown: Error) => thrown.message,
  );
const failure = (work: () => unknown): string => {
  try {
    return JSON.stringify(work());
  } catch (thrown) {
    return String((thrown as Error).message);
  }
};

for (const [name, boot] of Object.entries(ways)) {
  const test = suite(name);
  const having = (files: Files, use: (app: Shop) => Promise<void>) => async (): Promise<void> => {
    const app = await boot(files);
    try {
      await use(app);
    } finally {
      await app.close();
    }
  };

  test(
    'app.ctx has the singletons, and explains how to read other values',
    having(files, async ({ ctx }) => {
      const known = ctx as Ctx;
      assert.equal(known.users, { all: ['ann'] });
      assert.type(known.logger.info, 'function');
      assert.equal(Object.keys({ ...known }).sort(), ['logger', 'told', 'users']);
      assert.match(
        failure(() => known.visitor),
        /^ctx\.visitor \(.*di\/visitor\.[jt]s\) lives for one request, and there is no request here: use it in app\.run\(/,
      );
      assert.match(
        failure(() => known.cart),
        /^ctx\.cart \(.*\) lives for one visitor, and there is no visitor here/,
      );
      assert.match(
        failure(() => Object.assign(known, { users: 1 })),
        'ctx.users cannot be assigned',
      );
      assert.match(
        failure(() => Object.assign(known, { cart: 1 })),
        'there is no visitor here',
      );
    }),
  );

  test(
    'app.run provides and destroys request-scoped values, and returns the result of the function',
    having(files, async ({ run, ctx }) => {
      const { told } = ctx as unknown as { told: string[] };
      const given = await run(async (ctx) => {
        const { visitor, me, users } = ctx as Ctx;
        assert.is((ctx as Ctx).visitor, visitor);
        assert.equal(told, []);
        return [visitor, await me, users];
      });
      assert.equal(given, [{ req: true, name: 'nobody' }, 'nobody', { all: ['ann'] }]);
      assert.equal(told, ['visitor']);
      assert.is(await run(() => 5), 5);
    }),
  );

  test(
    'session values are new, can be assigned, and are not stored',
    having(files, async ({ run, fetch }) => {
      const changed = await run(async (ctx) => {
        const own = ctx as Ctx & { cart: { items: string[] }; currentUser: unknown };
        own.currentUser = { name: 'Bo' };
        own.cart.items.push('pen');
        return [await own.me, own.cart];
      });
      assert.equal(changed, ['Bo', { items: ['pen'] }]);
      assert.equal(await run((ctx) => [(ctx as Ctx).currentUser, (ctx as Ctx).cart]), [null, { items: [] }]);
      assert.match(
        await refusal(run((ctx) => Object.assign(ctx, { cart: new Map() }))),
        'ctx.cart is a Map, which a session cannot store',
      );
      const answer = await fetch(new Request('http://localhost/api/me'));
      assert.equal([answer.status, answer.headers.getSetCookie()], [404, []]);
    }),
  );

  test(
    'rethrows the error of the function after the scope has ended',
    having(files, async ({ run, ctx }) => {
      const { told } = ctx as unknown as { told: string[] };
      const failing = (ctx: RuntimeCtx): never => {
        void (ctx as Ctx).visitor;
        throw new Error('no seeds');
      };
      assert.is(await refusal(run(failing)), 'no seeds');
      assert.is(await refusal(run(async (ctx) => failing(ctx))), 'no seeds');
      assert.equal(told, ['visitor', 'visitor']);
      let kept: Ctx | undefined;
      await run((ctx) => {
        kept = ctx as Ctx;
      });
      assert.match(
        failure(() => kept?.visitor),
        'ctx.visitor was read after its request had ended',
      );
    }),
  );

  test('close() waits for running functions, and run() rejects afterwards', async () => {
    const app = await boot(files);
    const { told } = app.ctx as unknown as { told: string[] };
    let go = (): void => {};
    const gate = new Promise<void>((open) => (go = open));
    const running = app.run(async (ctx) => {
      void (ctx as Ctx).visitor;
      await gate;
      told.push('work');
    });
    const closed = app.close();
    go();
    await Promise.all([running, closed]);
    assert.equal(told, ['work', 'visitor', 'service']);
    assert.match(await refusal(app.run(() => 1)), 'app.run() is used after app.close()');
  });

  test(
    'works without request-scoped values and without any value',
    having(bare, async ({ run, ctx }) => {
      assert.equal((ctx as Ctx).users, { all: ['ann'] });
      assert.equal(await run((ctx) => (ctx as Ctx).users), { all: ['ann'] });
      const empty = await boot({ 'api/x.get.ts': route('get', '() => 1') });
      assert.equal(Object.keys(empty.ctx), ['logger']);
      assert.is(await empty.run(async ({ logger }) => typeof logger.info), 'function');
      await empty.close();
    }),
  );

  test.run();
}
