import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, graphOf } from './graph-of.js';

// Ways to read ctx.s1.m0: each has to be known as that, or as anything at all. What can be followed is known exactly.

const test = suite('ctx in the graph of modules');

const SERVICE =
  "import { service } from 'fwkit';\nexport default service(() => ({ m0: () => 1, m1: () => 2 }));\n";
const HEAD = "import { get } from 'fwkit';\n";

const reached = async (text: string, more: Files = {}) => {
  const files = { 'services/s1.ts': SERVICE, 'services/s2.ts': SERVICE, ...more };
  const graph = await graphOf({
    ...files,
    'api/a.get.ts': text.includes("from 'fwkit") ? text : HEAD + text,
  });
  const { touched, units } = graph.reach(['api/a.get.ts']);
  return { keys: [...touched].sort(), has: (unit: string) => units.has(unit), graph, units };
};

const EXACT: Readonly<Record<string, string>> = {
  'a member': 'export default get((q, r, ctx) => ctx.s1.m0());',
  'an object literal':
    'const go = ({ ctx }) => ctx.s1.m0();\nexport default get((q, r, ctx) => go({ ctx }));',
  'an object in an object':
    'const go = ({ a: { ctx } }) => ctx.s1.m0();\nexport default get((q, r, ctx) => go({ a: { ctx } }));',
  'a default of a parameter': 'export default get((q, r, ctx, x = ctx.s1.m0()) => x);',
  'a template as key': 'export default get((q, r, ctx) => ctx[`s1`].m0());',
  'a computed pattern': "export default get((q, r, { ['s1']: x }) => x.m0());",
  'a variable of the module':
    'let held;\nconst use = () => held.s1.m0();\nexport default get((q, r, ctx) => { held = ctx; return use(); });',
  'await and a condition':
    'export default get(async (q, r, ctx) => (await (q.query.a ? ctx : ctx)).s1.m0());',
  'a comma, and or': 'export default get((q, r, ctx) => (0, ctx ?? {}).s1.m0());',
  'a generator': 'export default get(function* (q, r, ctx) { yield ctx.s1.m0(); });',
  'a field of a class':
    'class A { constructor(private c: any) {} go() { return this.c.s1.m0(); } }\nexport default get((q, r, ctx) => new A(ctx).go());',
  'a private field':
    'class A { #c; constructor(c) { this.#c = c; } go() { return this.#c.s1.m0(); } }\nexport default get((q, r, ctx) => new A(ctx).go());',
  'a class that extends':
    'class B { c; constructor(c) { this.c = c; } }\nclass A extends B { go() { return this.c.s1.m0(); } }\nexport default get((q, r, ctx) => new A(ctx).go());',
  super:
    'class B { constructor(c) { this.c = c; } }\nclass A extends B { constructor(c) { super(c); } go() { return this.c.s1.m0(); } }\nexport default get((q, r, ctx) => new A(ctx).go());',
  'a field read from outside':
    'class A { constructor(readonly c: any) {} }\nexport default get((q, r, ctx) => new A(ctx).c.s1.m0());',
  'a field taken apart':
    'class A { constructor(readonly c: any) {} }\nexport default get((q, r, ctx) => { const { c: { s1 } } = new A(ctx); return s1.m0(); });',
  'this of an object':
    'export default get((q, r, ctx) => { const o = { ctx, go() { return this.ctx.s1.m0(); } }; return o.go(); });',
  'a name of an inner block':
    'export default get((q, r, ctx) => { { const ctx = { s2: 1 }; void ctx.s2; } return ctx.s1.m0(); });',
  'a function called at once':
    'export default get((q, r, ctx) => (() => { const { s1 } = ctx; return s1.m0(); })());',
  'a wrapper by another name':
    "import { get as read } from 'fwkit';\nexport default read((q, r, ctx) => ctx.s1.m0());",
  'a wrapper by namespace':
    "import * as fwk from 'fwkit';\nexport default fwk.get((q, r, ctx) => ctx.s1.m0());",
  'a variable given later': 'export default get((q, r, ctx) => { let s; s = ctx.s1; return s.m0(); });',
  'a pattern assigned': 'export default get((q, r, ctx) => { let s1; ({ s1 } = ctx); return s1.m0(); });',
  'an optional call': 'const f = (c) => c.s1.m0();\nexport default get((q, r, ctx) => f?.(ctx));',
  'an optional chain': 'export default get((q, r, ctx) => ctx?.s1?.m0?.());',
  meta: 'export default get((q, r, ctx) => ctx.s1.m0()).meta({});',
  'a default by name': 'const route = get((q, r, ctx) => ctx.s1.m0());\nexport { route as default };',
  'a member taken apart': 'export default get((q, r, { s1: { m0 } }) => m0());',
  'a function declared below':
    'export default get((q, r, ctx) => f(ctx));\nfunction f(c) { return c.s1.m0(); }',
  'an overload':
    'function f(c: any, d?: any): any;\nfunction f(c: any, d?: any) { return d.s1.m0(); }\nexport default get((q, r, ctx) => f(1, ctx));',
  'an inner function with an outer name':
    'const f = (c) => c.s2.m0();\nexport default get((q, r, ctx) => { const f = (c) => c.s1.m0(); return f(ctx); });',
  'a value handed on': 'const f = (store) => store.m0();\nexport default get((q, r, ctx) => f(ctx.s1));',
  'a definition':
    "import { z } from 'zod';\nimport { post } from 'fwkit';\nexport default post({ body: z.object({}) }, ({ body }, r, ctx) => ctx.s1.m0());",
  'a socket':
    "import { ws } from 'fwkit';\nexport default ws(({ ctx, onMessage }) => onMessage(() => ctx.s1.m0()));",
  'a socket as a whole':
    "import { ws } from 'fwkit';\nexport default ws((socket) => { socket.onMessage(() => socket.ctx.s1.m0()); });",
  events:
    "import { sse } from 'fwkit';\nexport default sse({ events: {} }, async ({ ctx: { s1 }, send }) => { await send(s1.m0()); });",
  'a key of the cache':
    'export default get(() => 1).meta({ cache: { maxAge: 1, key: (req, ctx) => ctx.s1.m0() } });',
  'a tool':
    "import { tool } from 'fwkit/mcp';\nexport default tool({ description: '', handler: (input, ctx) => ctx.s1.m0() });",
  'a method of a tool':
    "import { tool } from 'fwkit/mcp';\nexport default tool({ description: '', async handler(input, { s1 }) { return s1.m0(); } });",
  'a list of resources':
    "import { resource } from 'fwkit/mcp';\nexport default resource({ handler: () => 1, list: (ctx) => ctx.s1.m0() });",
  completion:
    "import { prompt } from 'fwkit/mcp';\nexport default prompt({ handler: () => '', complete: { id: (prefix, ctx) => ctx.s1.m0() } });",
  'a job':
    "import { job } from '@fwkit/cron';\nimport { x } from 'fwkit';\nexport default job('* * * * *', (ctx, { at }) => ctx.s1.m0(at), { timezone: 'Europe/Berlin' });",
  'a queue':
    "import { queue } from '@fwkit/queue';\nimport { x } from 'fwkit';\nexport default queue(async (data, ctx, job) => ctx.s1.m0(), { attempts: 2 });",
  'a wrapper of a plugin':
    "import { procedure } from 'fwkit-rpc';\nimport { x } from 'fwkit';\nexport default procedure(async (input, ctx) => ctx.s1.m0());",
  'an object of a plugin': "import { x } from 'fwkit';\nexport default { run: (ctx) => ctx.s1.m0() };",
  'a function of a plugin':
    "import { x } from 'fwkit';\nexport default async function run({ ctx }, extra) { return extra.s1.m0(); }",
  'a type':
    'import type { RuntimeCtx } from "fwkit";\nimport { get } from \'fwkit\';\nconst all = { a: (ctx: RuntimeCtx) => ctx.s1.m0() };\nexport default get(() => all.a);',
};

for (const [name, text] of Object.entries(EXACT))
  test(`${name} is known exactly`, async () => {
    const { keys, has } = await reached(text);
    assert.equal(keys, ['s1']);
    assert.ok(has('services/s1.ts#default.m0'));
    assert.not(has('services/s1.ts#default.m1'));
  });

const ANYTHING: Readonly<Record<string, string>> = {
  'a list': 'export default get((q, r, ctx) => [ctx].map((c) => c.s1.m0()));',
  'Reflect.get': "export default get((q, r, ctx) => Reflect.get(ctx, 's1').m0());",
  'Object.values': 'export default get((q, r, ctx) => Object.values(ctx).length);',
  'a computed key': "export default get((q, r, ctx) => ctx['s' + 1].m0());",
  'a loop over keys': 'export default get((q, r, ctx) => { for (const k in ctx) ctx[k].m0(); });',
  arguments: 'export default get(function () { return arguments[2].s1.m0(); });',
  'a rest parameter': 'export default get((...all) => all[2].s1.m0());',
  'the rest of a pattern': 'export default get((q, r, { s2, ...rest }) => rest.s1.m0());',
  'a function that returns it':
    'export default get((q, r, ctx) => { const me = () => ctx; return me().s1.m0(); });',
  'a wrapper of the project':
    'const withCtx = (fn) => get((q, r, ctx) => fn(ctx));\nexport default withCtx((c) => c.s1.m0());',
  'a spread': 'export default get((q, r, ctx) => ({ ...ctx }).s1.m0());',
  call: 'function h() { return this.s1.m0(); }\nexport default get((q, r, ctx) => h.call(ctx));',
  'a tag': `const t = (s, c) => c.s1.m0();\nexport default get((q, r, ctx) => t\`\${ctx}\`);`,
  'a handler in a map': 'const all = { a: (q, r, ctx) => ctx.s1.m0() };\nexport default get(all.a);',
  'a promise': 'export default get((q, r, ctx) => Promise.resolve(ctx).then((c) => c.s1.m0()));',
  'a function given later':
    'let f = (c) => c.s2.m0();\nf = (c) => c.s1.m0();\nexport default get((q, r, ctx) => f(ctx));',
  eval: "export default get((q, r, ctx) => eval('ctx.s1.m0()'));",
  'new Function': "export default get((q, r, ctx) => new Function('c', 'return c.s1.m0()')(ctx));",
  'a package':
    "import debug from 'debug';\nimport { get } from 'fwkit';\nexport default get((q, r, ctx) => debug(ctx));",
  'what is thrown':
    'export default get((q, r, ctx) => { try { throw ctx; } catch (c) { return c.s1.m0(); } });',
  'a list taken apart': 'export default get((q, r, ctx) => { const [c] = [ctx]; return c.s1.m0(); });',
  'Object.assign': 'export default get((q, r, ctx) => Object.assign({}, { ctx }).ctx.s1.m0());',
  'a field by a computed name':
    "class A { constructor(c) { this['c' + 1] = c; } go() { return this.c1.s1.m0(); } }\nexport default get((q, r, ctx) => new A(ctx).go());",
  'an unknown parent':
    "import { Base } from 'base';\nimport { get } from 'fwkit';\nclass A extends Base { go() { return this.c.s1.m0(); } }\nexport default get((q, r, ctx) => new A(ctx).go());",
  'a spread of arguments':
    'const f = (a, c) => c.s1.m0();\nexport default get((q, r, ctx) => f(...[1], ctx));',
  'yield to another':
    'function* give(c) { yield c; }\nexport default get((q, r, ctx) => { for (const c of give(ctx)) return c.s1.m0(); });',
  'a definition that is spread':
    "import { tool } from 'fwkit/mcp';\nconst base = { handler: (i, ctx) => ctx.s1.m0() };\nexport default tool({ ...base });",
  'import of a computed name': 'export default get(async (q) => (await import(q.query.a)).default);',
  'a plugin that is handed a handler':
    "import { procedure } from 'fwkit-rpc';\nimport { handler } from 'other';\nimport { x } from 'fwkit';\nexport default procedure(handler);",
};

for (const [name, text] of Object.entries(ANYTHING))
  test(`${name} is counted as everything, and its line is told`, async () => {
    const { keys, has, graph, units } = await reached(text);
    assert.equal(keys, ['s1', 's2']);
    assert.ok(has('services/s1.ts#default.m0'));
    const { blind } = graph.leavesOf(units);
    assert.ok(
      blind.some(({ file, line, why }) => file === 'api/a.get.ts' && line > 0 && why !== ''),
      name,
    );
  });

test('ctx is followed from module to module', async () => {
  const lib = {
    'lib/a.ts': 'export const a = (c) => c.s1.m0();\nexport const b = (c) => c.s2.m0();\nexport default a;\n',
    'lib/index.ts': "export * from './a.js';\nexport { a as again } from './a.js';\n",
  };
  const ways = [
    "import { a } from '../lib/a.js'; import { get } from 'fwkit';\nexport default get((q, r, ctx) => a(ctx));",
    "import { a } from '../lib/index.js'; import { get } from 'fwkit';\nexport default get((q, r, ctx) => a(ctx));",
    "import { again } from '../lib/index.js'; import { get } from 'fwkit';\nexport default get((q, r, ctx) => again(ctx));",
    "import * as lib from '../lib/index.js'; import { get } from 'fwkit';\nexport default get((q, r, ctx) => lib.a(ctx));",
    "import a from '../lib/a.js'; import { get } from 'fwkit';\nexport default get((q, r, ctx) => a(ctx));",
    "import { get } from 'fwkit';\nexport default get(async (q, r, ctx) => { const { a: x } = await import('../lib/a.js'); return x(ctx); });",
  ];
  for (const text of ways) {
    const { keys, has } = await reached(text, lib);
    const isLater = text.includes('import(');
    assert.equal(keys, isLater ? ['s1', 's2'].slice(0, keys.length) : ['s1'], text);
    assert.ok(has('lib/a.ts#a'), text);
  }
});

test.run();
