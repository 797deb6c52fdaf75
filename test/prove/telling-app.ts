import { Random } from '../fuzz/random.js';

// Projects made from a seed whose responses tell what was reached: each function answers with the id of its unit, and those of what it calls.

interface Size {
  readonly routes: number;
  /** Whether some routes hide ctx, so that it cannot be followed. */
  readonly isHiding: boolean;
}

const S = (body: string): string => `import { service } from 'fwkit';\n${body}\n`;
const member = (file: string, name: string): string => `'${file}#default.${name}'`;
const MEMBERS = ['m0', 'm1', 'm2'];

/** The texts of a project, by path below its source directory. */
export function tellingApp({ routes, isHiding }: Size, seed: number): Record<string, string> {
  const r = new Random(seed);
  const counts = {
    services: Math.ceil(routes * 0.12),
    values: Math.ceil(routes / 50),
    helpers: Math.ceil(routes * 0.16),
  };
  const files: Record<string, string> = {};
  for (let i = 0; i < counts.services; i++) files[`services/s${i}.ts`] = S(service(i, r));
  for (let i = 0; i < counts.values; i++) files[`di/r${i}.ts`] = value(i, r, counts.services);
  const key = (): string =>
    r.chance(15) ? `r${r.between(0, counts.values - 1)}` : `s${r.between(0, counts.services - 1)}`;
  for (let i = 0; i < counts.helpers; i++) files[`lib/h${i}.ts`] = helper(i, r, key);
  files['lib/index.ts'] = Array.from(
    { length: counts.helpers },
    (_, i) => `export * from './h${i}.js';\n`,
  ).join('');
  files['middlewares/1.trace.ts'] = layer('middlewares/1.trace.ts');
  const groups = Math.ceil(routes / 20);
  for (let g = 0; g < groups; g += 3)
    files[`api/g${g}/_middleware.ts`] = layer(`api/g${g}/_middleware.ts`, key());
  for (let i = 0; i < routes; i++) {
    const file = `api/g${r.between(0, groups - 1)}/r${i}.get.ts`;
    const h = r.between(0, counts.helpers - 1);
    const made = { own: `'${file}#default'`, A: key(), B: key(), m: r.pick(MEMBERS), n: r.pick(MEMBERS), h };
    const from = r.chance(30) ? '../../lib/index.js' : `../../lib/h${h}.js`;
    const isHidden = isHiding && r.chance(5);
    files[file] = `import { get } from 'fwkit';\n${r.pick(isHidden ? HIDING : STYLES)(made, from)}\n`;
  }
  return files;
}

/** A service in one of twelve ways; it uses services with smaller numbers. */
function service(i: number, r: Random): string {
  const used = i === 0 ? [] : [...new Set([`s${r.between(0, i - 1)}`, `s${r.between(0, i - 1)}`])];
  const file = `services/s${i}.ts`;
  const call = (from: string): string =>
    used.length > 0 && r.chance(60) ? `, ...${from}${r.pick(used)}.${r.pick(MEMBERS)}()` : '';
  const method = (name: string, from: string, more = call(from)): string =>
    `    ${name}() { return [${member(file, name)}${more}]; },\n`;
  const all = (from: string): string => MEMBERS.map((name) => method(name, from)).join('');
  const local = `  const own = () => ['${file}#default/own'${call('')}];\n`;
  return r.pick([
    () => `export default service((ctx: any) => ({\n${all('ctx.')}}));`,
    () =>
      `export default service(({ ${used.join(', ')} }: any) => {\n${local}  return {\n${method('m0', '')}    m1: () => [${member(file, 'm1')}, ...own()],\n${method('m2', '')}  };\n});`,
    () =>
      `export default service((ctx: any) => {\n  const { ${used.join(', ')} } = ctx;\n  return {\n${all('')}  };\n});`,
    () =>
      `class Store {\n  constructor(readonly ctx: any) {}\n  m0() { return [${member(file, 'm0')}${call('this.ctx.')}]; }\n  m1() { return [${member(file, 'm1')}, ...this.m0()]; }\n  m2() { return [${member(file, 'm2')}]; }\n}\nexport default service((ctx: any) => new Store(ctx));`,
    () =>
      `export default service((ctx: any) => ({\n${method('m0', 'ctx.')}    m1() { return [${member(file, 'm1')}, ...this.m0()]; },\n${method('m2', 'ctx.')}}));`,
    () =>
      `class Store {\n  #ctx: any;\n  constructor(ctx: any) { this.#ctx = ctx; }\n  m0 = () => [${member(file, 'm0')}${call('this.#ctx.')}];\n  m1() { return [${member(file, 'm1')}, ...this.#own()]; }\n  m2() { return [${member(file, 'm2')}]; }\n  #own() { return ['${file}#default.#own'${call('this.#ctx.')}]; }\n}\nexport default service((ctx: any) => new Store(ctx));`,
    () =>
      `const make = async (ctx: any) => {\n  await null;\n  return Object.freeze({\n${all('ctx.')}  });\n};\nexport default service(make);`,
    () =>
      `export default service((ctx: any) => {\n  const api = {\n${method('m0', 'ctx.')}    m1: (): any => [${member(file, 'm1')}, ...api.m0()],\n${method('m2', 'ctx.')}  };\n  return api;\n});`,
    () =>
      `const make = (ctx: any) => ({\n${all('ctx.')}});\nexport default service((ctx: any) => Object.freeze(make(ctx)));`,
    () =>
      `class Store {\n  constructor(readonly ctx: any) {}\n  m0() { return [${member(file, 'm0')}${call('this.ctx.')}]; }\n  m1() { return [${member(file, 'm1')}, ...this.m0()]; }\n  m2() { return [${member(file, 'm2')}]; }\n}\nexport default service((ctx: any) => {\n  const store = new Store(ctx);\n  return store;\n});`,
    () =>
      `export default service((ctx: any) => {\n  if (Date.now() < 0) return { m0: () => [], m1: () => [], m2: () => [] };\n  return {\n${all('ctx.')}  };\n});`,
    () =>
      `const base = { n0: () => ['${file}#base'] };\nexport default service((ctx: any) => Object.assign({}, base, {\n${method('m0', 'ctx.')}    m1: () => [${member(file, 'm1')}, ...base.n0()],\n}, {\n${method('m2', 'ctx.')}}));`,
  ])();
}

const value = (i: number, r: Random, services: number): string => {
  const file = `di/r${i}.ts`;
  const before = i > 0 ? `r${r.between(0, i - 1)}` : undefined;
  return `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: ({ s${r.between(0, services - 1)}: a${before ? `, ${before}: b` : ''} }: any) => ({
  m0: () => [${member(file, 'm0')}, ...a.${r.pick(MEMBERS)}()],
  m1: () => [${member(file, 'm1')}${before ? ', ...b.m0()' : ''}],
  m2: () => [${member(file, 'm2')}],
}) });
`;
};

function helper(i: number, r: Random, key: () => string): string {
  const other = i > 0 && r.chance(50) ? r.between(0, i - 1) : undefined;
  const also = (name: string, given: string): string =>
    other !== undefined && r.chance(50) ? `, ...${name}${other}(${given})` : '';
  const import_ = other === undefined ? '' : `import { a${other}, b${other} } from './h${other}.js';\n`;
  const file = `lib/h${i}.ts`;
  return `${import_}const word${i} = '${file}#word${i}';
export const a${i} = (ctx: any): string[] => ['${file}#a${i}', ...ctx.${key()}.${r.pick(MEMBERS)}()${also('a', 'ctx')}];
export function b${i}(): string[] { return ['${file}#b${i}', word${i}${also('b', '')}]; }
export const make${i} = () => (_q: any, _s: any, ctx: any) => ['${file}#make${i}', ...ctx.${key()}.${r.pick(MEMBERS)}()];
`;
}

const layer = (file: string, key?: string): string => `import { middleware } from 'fwkit';
export default middleware(async (req, res, ctx: any, next) => {
  const inner: any = await next();
  return ['${file}#default'${key ? `, ...ctx.${key}.m0()` : ''}, ...inner];
});
`;

interface Route {
  readonly own: string;
  readonly A: string;
  readonly B: string;
  readonly m: string;
  readonly n: string;
  readonly h: number;
}
type Style = (route: Route, from: string) => string;

/** Routes that can be followed. */
const STYLES: readonly Style[] = [
  ({ own, A, B, m, n }) =>
    `export default get((req, res, ctx: any) => {\n  if (req.query.x) return [${own}, ...ctx.${B}.${n}()];\n  return [${own}, ...ctx.${A}.${m}()];\n});`,
  ({ own, A, B, m, n }) =>
    `export default get((req, res, { ${A}: one, ${B}: two }: any) => [${own}, ...one.${m}(), ...(req.query.x ? two.${n}() : [])]);`,
  ({ own, A, m }) =>
    `export default get((req, res, ctx: any) => {\n  const { ${A}: one } = ctx;\n  return [${own}, ...one.${m}()];\n});`,
  ({ own, A, m }) =>
    `export default get((req, res, ctx: any) => {\n  const c = ctx;\n  return [${own}, ...c.${A}.${m}()];\n});`,
  ({ own, h }, from) =>
    `import { a${h} } from '${from}';\nexport default get((req, res, ctx) => [${own}, ...a${h}(ctx)]);`,
  ({ own, h }, from) =>
    `import * as lib from '${from}';\nexport default get((req, res, ctx) => [${own}, ...lib.a${h}(ctx)]);`,
  ({ own, A, m }) => `export default get((req, res, ctx: any) => [${own}, ...ctx['${A}'].${m}()]);`,
  ({ own, A, m, h }, from) =>
    `import { b${h} } from '${from}';\nexport default get((req, res, ctx: any) => [${own}, ...b${h}(), ...ctx.${A}.${m}()]);`,
  ({ own, A, m, h }, from) =>
    `import { b${h} } from '${from}';\nexport default get((req, res, ctx: any) => {\n  const load = () => ctx.${A}.${m}();\n  return [${own}, ...load(), ...b${h}()];\n});`,
  ({ own, A, m }) =>
    `export default get(async (req, res, ctx: any) => [${own}, ...(await (ctx?.${A} as any)).${m}()]);`,
  ({ own, A, m }) =>
    `function handler(req: any, res: any, ctx: any) {\n  return [${own.replace('#default', '#handler')}, ...ctx.${A}.${m}()];\n}\nexport default get(handler).meta({});`,
  ({ own, A, m }) =>
    `const tell = ({ ctx: { ${A} } }: any) => ${A}.${m}();\nexport default get((req, res, ctx) => [${own}, ...tell({ ctx, req })]);`,
  ({ own, A, m }) =>
    `class Page {\n  constructor(private readonly ctx: any) {}\n  show() { return this.ctx.${A}.${m}(); }\n}\nexport default get((req, res, ctx) => [${own}, ...new Page(ctx).show()]);`,
  ({ own, A, m }) =>
    `export default get((req, res, ctx: any) => {\n  const { ${A}: { ${m}: run } } = ctx;\n  return [${own}, ...(req.query.x ? run.call(ctx.${A}) : ctx.${A}.${m}())];\n});`,
  ({ own, A, m, h }, from) =>
    `import { a${h} } from '${from}';\nexport default get((req, res, ctx: any) => {\n  try { return [${own}, ...(req.query.x ? a${h}(ctx) : ctx.${A}.${m}())]; } finally { void 0; }\n});`,
  ({ own, A, m }) =>
    `const show = (store: any) => store.${m}();\nexport default get((req, res, ctx: any) => [${own}, ...show(ctx.${A})]);`,
];

/** Routes that hide ctx. */
const HIDING: readonly Style[] = [
  ({ own, A, m }) =>
    `export default get((req, res, ctx: any) => [${own}, ...ctx['${A[0]}' + '${A.slice(1)}'].${m}()]);`,
  ({ own, A, m }) =>
    `const runner = { go: (c: any) => c.${A}.${m}() };\nexport default get((req, res, ctx) => [${own}, ...runner.go(ctx)]);`,
  ({ h }) => `import { make${h} } from '../../lib/h${h}.js';\nexport default get(make${h}());`,
  ({ own, A, m }) =>
    `export default get((req, res, ctx) => [${own}, ...[ctx].flatMap((c: any) => c.${A}.${m}())]);`,
  ({ own, A, m }) => `export default get(function () {\n  return [${own}, ...arguments[2].${A}.${m}()];\n});`,
];
