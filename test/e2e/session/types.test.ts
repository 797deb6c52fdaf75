import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { sampled } from '../../harness/sample.js';
import { compared, compilers, tsc } from '../../harness/tsc.js';

const right: Files = {
  'di/cart.ts': `import { di } from 'fwkit';
export interface Line {
  title: string;
  count: number;
  note?: string;
}
export default di({
  lifetime: 'session',
  value: (ctx, { req }) => {
    ctx.logger.info('a cart');
    return { lines: [] as Line[], language: req?.header('accept-language') ?? 'en', of: null as string | null };
  },
});
`,
  'di/seen.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: { pages: [] as string[], last: undefined as string | undefined } });
`,
  'di/current-user.ts': `import { di } from 'fwkit';
export interface User {
  id: string;
  name?: string;
}
export default di({ lifetime: 'session', value: () => null as User | null });
`,
  'di/theme.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: 'light' });
`,
  'di/visits.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => 0 });
`,
  'di/side.ts': `import { di } from 'fwkit';
export default di<'left' | 'right'>({ lifetime: 'session', value: () => 'left' });
`,
  // A value of type any is checked when it is stored.
  'di/settings.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => JSON.parse('{}') });
`,
  'services/seeds.ts': `import { service } from 'fwkit';
export default service(() => ({ count: 1 }));
`,
  'api/assign.post.ts': `import { type HttpRequest, post, type RuntimeCtx } from 'fwkit';
import type { User } from '../di/current-user.js';
export default post((req: HttpRequest<never, User>, _res, ctx) => {
  ctx.currentUser = req.body;
  const id: string = ctx.currentUser.id;
  ctx.currentUser = null;
  ctx.theme = 'dark';
  ctx.side = 'right';
  ctx.visits += 1;
  ctx.visits++;
  ctx.cart = { lines: [], language: 'en', of: id };
  ctx.settings = { any: 'thing' };
  return named(ctx);
});
function named({ currentUser, theme }: RuntimeCtx): string {
  return (currentUser?.name ?? 'nobody') + theme.toUpperCase();
}
`,
  'lib/scripts.ts': `import { createApp, type App } from 'fwkit';
import { createTestApp } from 'fwkit/testing';
const app: App = await createApp();
const count: number = app.ctx.seeds.count;
const length: number = await app.run(async (ctx) => {
  ctx.currentUser = { id: '1' };
  return ctx.cart.lines.length + ctx.total;
});
const nothing: undefined = await app.run(() => undefined);
const test = await createTestApp({ overrides: { seeds: { count: 2 }, currentUser: null, theme: 'dark' } });
const total: number = await test.run((ctx) => ctx.total + test.ctx.seeds.count);
console.log(count, length, nothing, total);
`,
  'di/total.ts': `import { di } from 'fwkit';
export default di({
  lifetime: 'request',
  value: (ctx) => ctx.cart.lines.reduce((sum, line) => sum + line.count, 0),
});
`,
  // Reads a request value that reads a session value: lazy types close no circle.
  'di/basket.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: (ctx) => ({ count: ctx.total }) });
`,
  'api/cart/[title].post.ts': `import { type HttpRequest, endSession, post, renewSession } from 'fwkit';
export default post((req: HttpRequest<'/api/cart/:title', { count: number }>, _res, ctx) => {
  renewSession(req);
  ctx.cart.lines.push({ title: req.params.title, count: req.body.count });
  ctx.cart.of = 'ann';
  ctx.seen.pages = [];
  const total: number = ctx.total + ctx.basket.count;
  if (total > 5) endSession(req);
  return ctx.cart;
});
`,
  'middlewares/1.seen.ts': `import { endSession, middleware } from 'fwkit';
export default middleware((req, _res, ctx, next) => {
  if (ctx.seen.last === 'out') endSession(req);
  ctx.seen.pages.push(req.path);
  return next();
});
`,
  'lib/store.ts': `import type { SessionStore } from 'fwkit';
export class Store implements SessionStore {
  readonly #texts = new Map<string, string>();
  async get(id: string) {
    return this.#texts.get(id) ?? null;
  }
  async set(id: string, text: string, _maxAge: number) {
    this.#texts.set(id, text);
    return 'OK';
  }
  async delete(id: string) {
    return this.#texts.delete(id);
  }
}
`,
  'fwk.config.ts': `import { defineConfig } from 'fwkit';
import { Store } from './lib/store.js';
export default defineConfig({
  session: { secrets: [process.env.A ?? ''], maxAge: 60, cookie: 'sid', secure: true, store: new Store() },
});
`,
};

/** A line that is refused ends with the codes it may be refused with. */
const wrong: Files = {
  'services/captive.ts': `import { service } from 'fwkit';
export default service((ctx) => ({ lines: ctx.cart.lines })); //! TS2339 TS2551
`,
  'di/captive-value.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'singleton', value: (ctx) => [ctx.cart.lines] }); //! TS2339 TS2551
`,
  'di/map.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: { lines: new Map<string, number>() } }); //! TS2769 TS2322
`,
  'di/date.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ at: new Date() }) }); //! TS2769 TS2322
`,
  'di/method.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ count: 1, add() {} }) }); //! TS2769 TS2322
`,
  'di/later.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: async () => ({ count: 1 }) }); //! TS2769 TS2322
`,
  'di/big.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: 1n }); //! TS2769 TS2322
`,
  'di/nothing.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => undefined as string | undefined }); //! TS2769 TS2322
`,
  'di/function.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => () => 1 }); //! TS2769 TS2322
`,
  'di/closing.ts': `import { di } from 'fwkit';
export default di({
  lifetime: 'session',
  value: (_ctx, { onDestroy }) => ({ type: typeof onDestroy }), //! TS2339
});
`,
  'api/wrong.get.ts': `import { createApp, defineConfig, get, renewSession } from 'fwkit';
export default get((_req, res, ctx) => {
  ctx.cart = { lines: [], language: '' }; //! TS2741
  ctx.cart = null; //! TS2322
  ctx.currentUser = { id: 1 }; //! TS2322
  ctx.currentUser = undefined; //! TS2322
  ctx.currentUser.id; //! TS18047 TS2531
  ctx.side = 'middle'; //! TS2322
  ctx.total = 1; //! TS2322
  ctx.seeds = { count: 2 }; //! TS2322
  ctx.seeds = JSON.parse('{}'); //! TS2322
  ctx.logger = console; //! TS2540
  ctx.currentUsr = null; //! TS2551 TS2339
  ctx.cart.lines.push({ title: 1, count: 1 }); //! TS2322
  ctx.cart.anything; //! TS2339
  renewSession(res); //! TS2345
});
const app = await createApp();
app.ctx.cart.lines; //! TS2339
app.ctx.total.toFixed(); //! TS2339
app.ctx.theme = 'dark'; //! TS2540
app.run((ctx) => ctx.nothingLikeIt); //! TS2339
defineConfig({ session: { maxAge: '1d' } }); //! TS2322
defineConfig({ session: { name: 'sid' } }); //! TS2353 TS2561
`,
};

for (const [version, compiler] of sampled(Object.entries(compilers))) {
  const test = suite(`TypeScript ${version}`);

  test('wrong uses do not compile, each at its line, and correct ones do', async () => {
    const made = project({ ...right, ...wrong });
    assert.is((await fwk(made, 'types')).status, 0);
    const reported = await tsc(made, compiler());
    assert.equal(compared(made, reported, wrong), { missing: [], surplus: [] });
    const message = (file: string) => reported.find((one) => one.file.endsWith(file))?.message ?? '';
    assert.match(message('captive.ts'), 'ctx.cart lives for one visitor, a singleton longer');
    assert.match(message('big.ts'), 'NotStorable');
  });

  test.run();
}
