import type { Files } from '../../harness/project.js';

/** How many services read each other in the ring. */
export const RING = 150;

/** Each of them asynchronous, each reads the next one, in the ways that people write it. */
export const ring: Files = Object.fromEntries(
  Array.from({ length: RING }, (_, index) => {
    const next = `ringN${(index + 1) % RING}`;
    const made = `{ size: () => Number(${index}), both: () => ${index % 2 ? '' : 'ctx.'}${next}.size() + 1 }`;
    const factory = index % 2 ? `async ({ ${next} }) => (${made})` : `async (ctx) => (${made})`;
    const call = index % 3 ? `service(${factory})` : `di({ lifetime: 'singleton', value: ${factory} })`;
    return [
      // Every tenth is JavaScript.
      index % 10 ? `services/ring/n${index}.ts` : `src/services/ring/n${index}.js`,
      `import { ${index % 3 ? 'service' : 'di'} } from 'fwkit';\nexport default ${call};\n`,
    ];
  }),
);

/** Uses that compile. */
export const right: Files = {
  'lib/same.ts': `export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
`,
  'services/later.ts': `import { service } from 'fwkit';
export default service(async (_ctx, { onDestroy }) => {
  onDestroy(async () => {});
  return { ready: true };
});
`,
  'services/maybe.ts': `import { service } from 'fwkit';
export default service((ctx) => (ctx.later.ready ? Promise.resolve('later') : 'now'));
`,
  'services/well.ts': `import { type ServiceOptions, service } from 'fwkit';
class Store {
  readonly isOpen = true;
  ping = async (): Promise<boolean> => this.isOpen;
}
const asked: ServiceOptions<Store> = { health: (store) => store.ping() };
export default service(async () => new Store(), asked);
export const now = service(() => new Store(), { health: ({ isOpen }) => isOpen });
export const alone = service(() => new Store(), {});
`,
  'services/own.ts': `import { service } from 'fwkit';
export default service(() => ({ one() { return 1; }, two() { return this.one(); } }));
`,
  'di/own-too.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'singleton', value: () => ({ one() { return 1; }, two() { return this.one(); } }) });
`,
  'di/own-value.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'singleton', value: { one() { return 1; }, two() { return this.one(); } } });
`,
  'services/query.ts': `import { service } from 'fwkit';
declare const rows: PromiseLike<string[]>;
export default service(() => rows);
`,
  'src/services/script.js': `import { service } from 'fwkit';
export default service(async ({ later }) => ({ ready: later.ready, size: () => Number(1) }));
`,
  'di/settings.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'singleton', value: { region: 'north' as 'north' | 'south' } });
`,
  'di/eventual.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'singleton', value: Promise.resolve([1]) });
`,
  'di/loaded.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'singleton', value: async ({ later }) => ({ was: later.ready }) });
`,
  'di/visitor.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: async (ctx) => ({ of: ctx.cart.lines.length }) });
`,
  'di/pending.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: Promise.resolve(1) });
`,
  'di/either.ts': `import { di } from 'fwkit';
declare const lifetime: 'singleton' | 'request';
export default di({ lifetime, value: 'either' });
`,
  'di/count.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: () => 1 });
`,
  'di/cart.ts': `import { di } from 'fwkit';
interface Cart {
  lines: { title: string }[];
  by?: string;
}
export default di({ lifetime: 'session', value: (ctx): Cart => ({ lines: [{ title: ctx.settings.region + ctx.count }] }) });
`,
  'di/theme-name.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: 'light' as 'light' | 'dark' });
`,
  // The boot refuses it, so its types do not matter here.
  'services/passes.ts': `import { service } from 'fwkit';
export default service((ctx) => ({ cart: ctx.cart, later: () => ctx.visitor }));
`,
  'api/reads.get.ts': `import { get } from 'fwkit';
import type { Same } from '../lib/same.js';
export default get(async (_req, _res, ctx) => {
  const later: Same<typeof ctx.later, { ready: boolean }> = true;
  const maybe: Same<typeof ctx.maybe, string> = true;
  const query: Same<typeof ctx.query, string[]> = true;
  const own: number = ctx.own.two() + ctx.ownToo.two() + ctx.ownValue.two();
  const script: Same<typeof ctx.script, { ready: boolean; size: () => number }> = true;
  const settings: Same<typeof ctx.settings, { region: 'north' | 'south' }> = true;
  const eventual: Same<typeof ctx.eventual, number[]> = true;
  const loaded: Same<typeof ctx.loaded, { was: boolean }> = true;
  const visitor: Same<typeof ctx.visitor, Promise<{ of: number }>> = true;
  const pending: Same<typeof ctx.pending, Promise<number>> = true;
  const either: Same<typeof ctx.either, string> = true;
  ctx.cart = { lines: [] };
  ctx.themeName = 'dark';
  const of: number = (await ctx.visitor).of + (await ctx.pending) + ctx.script.size();
  return { later, maybe, query, own, script, settings, eventual, loaded, visitor, pending, either, of };
});
`,
  'lib/app.test.ts': `import { createTestApp } from 'fwkit/testing';
export const app = await createTestApp({
  overrides: { later: { ready: false }, loaded: { was: true }, query: [], visitor: Promise.resolve({ of: 1 }), themeName: 'dark' },
});
const ready: boolean = app.ctx.later.ready;
const lines = app.run(async (ctx) => [ready, ctx.cart.lines, (await ctx.visitor).of]);
export default lines;
`,
};

/** Reads the cycle, so that its inferred types are checked. */
export const ringReader: Files = {
  'api/ring.get.ts': `import { get } from 'fwkit';
import type { Same } from '../lib/same.js';
export default get((_req, _res, ctx) => {
  const first: Same<typeof ctx.ringN0, { size: () => number; both: () => number }> = true;
  const second: Same<typeof ctx.ringN1, { size: () => number; both: () => number }> = true;
  return [first, second, ctx.ringN${RING - 1}.both()];
});
`,
};

/** Uses that do not compile; such a line ends with the code and the message: `//! TS2339 // … lives for …`. */
export const wrong: Files = {
  'services/captive.ts': `import { service } from 'fwkit';
export default service((ctx) => {
  const cart: { lines: unknown } = ctx.cart; //! TS2741 // ctx.cart lives for one visitor, a singleton longer
  const theme: string = ctx.themeName; //! TS2322 // ctx.themeName lives for one visitor, a singleton longer
  const more = ctx.count + 1; //! TS2365 // ctx.count lives for one request, a singleton longer
  return {
    cart,
    theme,
    more,
    lines: () => ctx.cart.lines, //! TS2339 // ctx.cart lives for one visitor, a singleton longer
    of: () => ctx.visitor.then(String), //! TS2339 // ctx.visitor lives for one request, a singleton longer
    nope: () => ctx.nope, //! TS2339 // Property 'nope' does not exist on type 'SingletonCtx'
  };
});
`,
  'services/unwell.ts': `import { service } from 'fwkit';
export default service(async () => ({ isOpen: true, size: 1 }), {
  health: (store) => store.size, //! TS2322 // Type 'number' is not assignable to type 'boolean | PromiseLike<boolean>'
});
export const promised = service(async () => ({ isOpen: true }), {
  health: async (store) => (await store).isOpenn, //! TS2551 TS2339 // Property 'isOpenn' does not exist on type '{ isOpen: boolean; }'
});
export const named = service(() => 1, { helth: () => true }); //! TS2353 TS2561 // 'helth' does not exist in type 'ServiceOptions<
`,
  'services/captive-later.ts': `import { service } from 'fwkit';
export default service(async (ctx) => ({
  of: (await ctx.visitor).of, //! TS2339 // ctx.visitor lives for one request, a singleton longer
  either: ctx.either.length, //! TS2339 // ctx.either lives for one request, a singleton longer
}));
`,
  'src/services/captive-script.js': `import { service } from 'fwkit';
export default service(async ({ cart }) => [cart.lines]); //! TS2339 // ctx.cart lives for one visitor, a singleton longer
`,
  'di/captive-value.ts': `import { di } from 'fwkit';
export default di({
  lifetime: 'singleton',
  value: (ctx) => [ctx.cart.lines], //! TS2339 // ctx.cart lives for one visitor, a singleton longer
});
`,
  'api/passed.get.ts': `import { get } from 'fwkit';
export default get((_req, _res, ctx) => [
  ctx.passes.cart.lines, //! TS2339 // ctx.cart lives for one visitor, a singleton longer
  ctx.visitor.of, //! TS2339 // Property 'of' does not exist on type 'Promise<{ of: number; }>'
  ctx.later.then, //! TS2339 // Property 'then' does not exist on type '{ ready: boolean; }'
]);
`,
  'lib/overrides.test.ts': `import { createTestApp } from 'fwkit/testing';
const app = await createTestApp({
  overrides: {
    later: Promise.resolve({ ready: false }), //! TS2741 // Property 'ready' is missing in type 'Promise<
    loaded: { was: 1 }, //! TS2322 // Type 'number' is not assignable to type 'boolean'
  },
});
export default app.ctx.cart.lines; //! TS2339 // ctx.cart lives for one visitor, a singleton longer
`,
};
