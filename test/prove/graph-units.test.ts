import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, handler, reachOf } from './graph-of.js';

// What leads to code: whatever a route may run has to be known, and what it does not call stays apart.

const test = suite('units of the graph of modules');

test('types, and what is not called, lead nowhere', async () => {
  const { units, leaves, keys } = await reachOf(
    `import type { A } from '../lib/a.js';\nimport { type B, b } from '../lib/b.js';\n${handler('b as A & B')}`,
    {
      'lib/a.ts': 'export type A = number;\nexport const a = () => process.env.A;\nfetch("x");\n',
      'lib/b.ts': 'export type B = number;\nexport const b = 1;\nexport const c = () => process.env.C;\n',
    },
  );
  assert.not([...units].some((unit) => unit.startsWith('lib/a.ts')));
  assert.equal([...leaves.env], []);
  assert.equal(keys, []);
});

/** Code that reads the environment somewhere, in a way that is easy to overlook. */
const CODE: Readonly<Record<string, readonly [text: string, more?: Files]>> = {
  'a private member of a service': [
    handler('ctx.s3.go()'),
    {
      'services/s3.ts':
        "import { service } from 'fwkit';\nclass A { go() { return this.#own(); } #own() { return process.env.X; } }\nexport default service(() => new A());\n",
    },
  ],
  'a class of a service, made elsewhere': [
    `import { A } from '../services/s3.js';\n${handler('new A().go()')}`,
    {
      'services/s3.ts':
        "import { service } from 'fwkit';\nexport class A { go() { return process.env.X; } }\nexport default service(() => new A());\n",
    },
  ],
  'a factory of a service, called elsewhere': [
    `import { make } from '../services/s3.js';\n${handler('make().go()')}`,
    {
      'services/s3.ts':
        "import { service } from 'fwkit';\nexport const make = () => ({ go: () => process.env.X });\nexport default service(make);\n",
    },
  ],
  'a class that extends that of a service': [
    `import { B } from '../services/s3.js';\n${handler('new B().go()')}`,
    {
      'services/s3.ts':
        "import { service } from 'fwkit';\nclass A { go() { return process.env.X; } }\nexport class B extends A {}\nexport default service(() => new A());\n",
    },
  ],
  'a service that is imported': [
    `import s3 from '../services/s3.js';\n${handler('s3.make({}, {}).go()')}`,
    {
      'services/s3.ts':
        "import { service } from 'fwkit';\nexport default service(() => ({ go: () => process.env.X }));\n",
    },
  ],
  'a member that is got by a computed name': [
    handler("ctx.s3['g' + 'o']()"),
    {
      'services/s3.ts':
        "import { service } from 'fwkit';\nexport default service(() => ({ go: () => process.env.X }));\n",
    },
  ],
  'a member of this, taken apart': [
    handler('ctx.s3.all()'),
    {
      'services/s3.ts':
        "import { service } from 'fwkit';\nexport default service(() => ({ go: () => process.env.X, all() { const { go } = this; return go(); } }));\n",
    },
  ],
  'a function given later': [
    `import { run } from '../lib/a.js';\n${handler('run()')}`,
    {
      'lib/a.ts':
        'let f = () => 1;\nexport const set = () => { f = () => process.env.X; };\nexport const run = () => f();\n',
    },
  ],
  'what runs on import': [
    `import '../lib/a.js';\n${handler('1')}`,
    { 'lib/a.ts': "import './b.js';\n", 'lib/b.ts': 'const x = (() => process.env.X)();\n' },
  ],
  'a value that is made on import': [
    `import { one } from '../lib/a.js';\n${handler('one')}`,
    {
      'lib/a.ts': 'const made = load();\nfunction load() { return process.env.X; }\nexport const one = 1;\n',
    },
  ],
  'a static block': [
    `import { one } from '../lib/a.js';\n${handler('one')}`,
    { 'lib/a.ts': 'class A { static { void process.env.X; } }\nexport const one = 1;\n' },
  ],
  'a module of CommonJS': [
    `import a from '../lib/a.cjs';\n${handler('a.go()')}`,
    { 'lib/a.cjs': 'const go = () => process.env.X;\nmodule.exports = { go };\n' },
  ],
  'a worker': [
    handler("new Worker(new URL('../lib/work.ts', import.meta.url))"),
    { 'lib/work.ts': 'void process.env.X;\n' },
  ],
  'an enum': [
    `import { A } from '../lib/a.js';\n${handler('A.one')}`,
    { 'lib/a.ts': 'export enum A { one = process.env.X as unknown as number }\n' },
  ],
  'a namespace': [
    `import { A } from '../lib/a.js';\n${handler('A.one()')}`,
    { 'lib/a.ts': 'export namespace A { export const one = () => process.env.X; }\n' },
  ],
  'a component': [
    `import { page } from '../lib/page.jsx';\n${handler('page()')}`,
    { 'lib/page.jsx': 'const Name = () => process.env.X;\nexport const page = () => <p><Name /></p>;\n' },
  ],
  'a function that is called init': [
    `import { init } from '../lib/a.js';\n${handler('init()')}`,
    { 'lib/a.ts': 'export function init() { return process.env.X; }\n' },
  ],
};
for (const [name, [text, more]] of Object.entries(CODE))
  test(`what it leads to is known: ${name}`, async () => {
    assert.ok((await reachOf(text, more)).leaves.env.has('X'));
  });

test('what is imported and not called stays apart', async () => {
  const { leaves } = await reachOf(`import { one } from '../lib/a.js';\n${handler('one')}`, {
    'lib/a.ts': 'export const one = 1;\nexport function init() { return process.env.X; }\n',
  });
  assert.equal([...leaves.env], []);
});

const EVERYTHING: Readonly<Record<string, readonly [text: string, more?: Files]>> = {
  'a handler that another module makes': [
    "export { handler as default } from '../lib/a.js';\n",
    {
      'lib/a.ts':
        "import { made } from 'other';\nexport const handler = made((q, r, ctx) => ctx.s1.m0());\nexport const use = (c: any) => made(c);\n",
    },
  ],
  'a broken module': [
    `import { a } from '../lib/a.js';\n${handler('a(ctx)')}`,
    { 'lib/a.ts': 'export const a = ;\n' },
  ],
  'a global by a computed name': [handler("globalThis['e' + 'val']('ctx.s1')")],
  'globals that are handed on': [handler('Object.values(globalThis)')],
  'constructor as Function': [handler("(() => {}).constructor('c', 'return c.s1')(ctx)")],
  'a computed require': [
    `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n${handler('require(req.query.x)')}`,
  ],
};
for (const [name, [text, more]] of Object.entries(EVERYTHING))
  test(`known, or counted as everything: ${name}`, async () => {
    assert.ok((await reachOf(text, more)).keys.includes('s1'));
  });

test('a broken module is told with its line', async () => {
  const { leaves } = await reachOf(`import { a } from '../lib/a.js';\n${handler('a')}`, {
    'lib/a.ts': 'const b = 1;\nexport const a = ;\n',
  });
  assert.ok(
    leaves.blind.some(
      ({ file, line, why }) => file === 'lib/a.ts' && line === 2 && /cannot be parsed/.test(why),
    ),
  );
});

const PROCEDURE = "import { procedure } from 'fwkit-rpc';\n";

/** Files of a plugin whose wrapper nobody knows. */
const PLUGIN: Readonly<Record<string, string>> = {
  'a schema before the function': `${PROCEDURE}import { z } from 'zod';\nexport default procedure(z.object({}), async (input, ctx) => ctx.s1.m0());\n`,
  'a schema of another module': `${PROCEDURE}import { Input } from '../lib/a.js';\nexport default procedure(Input, async (input, ctx) => ctx.s1.m0());\n`,
  'a function of another module': `${PROCEDURE}import { Input, run } from '../lib/a.js';\nexport default procedure(Input, run);\n`,
  'an object that is frozen': `${PROCEDURE}export default procedure(Object.freeze({ run: (input, ctx) => ctx.s1.m0() }));\n`,
  'a name of its own': `${PROCEDURE}const made = procedure((input, ctx) => ctx.s1.m0());\nexport default made;\n`,
};
for (const [name, text] of Object.entries(PLUGIN))
  test(`a wrapper of a plugin is followed: ${name}`, async () => {
    const lib =
      "import { z } from 'zod';\nexport const Input = z.object({});\nexport const run = (input: any, ctx: any) => ctx.s1.m0();\n";
    const { keys, leaves } = await reachOf(text, { 'lib/a.ts': lib });
    assert.equal(keys, ['s1']);
    assert.equal(leaves.blind, []);
  });

test.run();
