import type { Cases } from './case.js';

/** The exports of modules. */
export const bindings: Cases = {
  'bindings are live, also through re-exports': {
    files: {
      'main.ts': `import { n, count, add } from './again.js'; import * as all from './count.js';
        const seen = [n, count]; add(); export default [...seen, n, count, all.count];`,
      'again.ts': `export { count as n } from './count.js'; export * from './count.js';`,
      'count.ts': 'export let count = 0; export const add = () => { count += 1; };',
    },
    gives: [0, 0, 1, 1, 1],
  },
  'a default expression is a copy, and a default declaration is live': {
    files: {
      'main.ts': `import value, { change } from './value.js'; import named, { replace } from './named.js';
        change(); replace(); export default [value, named];`,
      'value.ts': `let value = 'first'; export default value; export const change = () => { value = 'second'; };`,
      'named.ts': `let value = 'first'; export { value as default }; export const replace = () => { value = 'second'; };`,
    },
    gives: ['first', 'second'],
  },
  'every kind of assignment reaches the importer': {
    files: {
      'main.ts': `import { a, b, c, d, run } from './all.js'; run(); export default [a, b, c, d];`,
      'all.ts': `export let a = 0, [b, { c }] = [0, { c: 0 }], d = 0;
        export function run() { [a, { b }] = [1, { b: 2 }]; for (c of [1, 2, 3]); d ||= 4; d++; }`,
    },
    gives: [1, 2, 3, 5],
  },
  'a namespace has sorted names, is sealed and has no prototype': {
    files: {
      'main.ts': `import * as it from './b.js';
        const fails = (act: () => void) => { try { act(); return false; } catch (error) { return error instanceof TypeError; } };
        export default [Object.keys(it), Object.prototype.toString.call(it), Object.getPrototypeOf(it), Object.isExtensible(it),
          Object.isSealed(it), fails(() => { it.x = 2; }), fails(() => { delete it.x; }), fails(() => { it.fresh = 1; }), 'none' in it, Reflect.ownKeys(it).map(String)];`,
      'b.ts': `export const y = 2, x = 1; export default 4; export * from './c.js';`,
      'c.ts': 'export const a = 6; export default 5;',
    },
    gives: [
      ['a', 'default', 'x', 'y'],
      '[object Module]',
      null,
      false,
      true,
      true,
      true,
      true,
      false,
      ['a', 'default', 'x', 'y', 'Symbol(Symbol.toStringTag)'],
    ],
  },
  'export * omits ambiguous names unless they have the same binding': {
    files: {
      'main.ts': `import * as it from './all.js'; export default { ...it };`,
      'all.ts': `export * from './one.js'; export * from './two.js'; export const own = 'all';`,
      'one.ts': `export const both = 1, own = 1, one = 1; export * from './diamond.js';`,
      'two.ts': `export const both = 2; export * from './diamond.js'; export default 2;`,
      'diamond.ts': `export const diamond = 'same';`,
    },
    gives: { diamond: 'same', one: 1, own: 'all' },
  },
  'export * as, string names, and default under another name': {
    files: {
      'main.ts': `import { all, 'a name' as named, renamed } from './again.js'; export default [all.x, named, renamed];`,
      'again.ts': `export * as all from './x.js'; export { x as 'a name', default as renamed } from './x.js';`,
      'x.ts': `export const x = 1; export default 'default';`,
    },
    gives: [1, 1, 'default'],
  },
  'a default import and a namespace in one statement': {
    files: {
      'main.ts': `import it, * as all from './x.js';
        export default [it, all.x, \`
import it, * as all from "./x.js";
\`.length];`,
      'x.ts': `export const x = 1; export default 'default';`,
    },
    gives: ['default', 1, 36],
  },
  'packages re-export names': {
    files: {
      'main.ts': `import * as it from './again.js'; import { join } from 'node:path';
        export default [it.join === join, typeof it.read, 'default' in it];`,
      'again.ts': `export * from 'node:path'; export { readFileSync as read } from 'fs';`,
    },
    gives: [true, 'function', false],
  },
  'default exports without a name are named default': {
    files: {
      'main.ts': `const names = []; for (const name of ['arrow', 'function', 'class', 'named', 'static', 'generator', 'async'])
          names.push((await import(\`./\${name}.js\`)).default.name);
        export default names;`,
      'arrow.ts': 'export default () => 1;',
      'function.ts': 'export default function () { return 1; }',
      'class.ts': 'export default class {}',
      'named.ts': 'export default class Named {}',
      'static.ts': `export default class { static name = 'mine'; }`,
      'generator.ts': 'export default function* () {}',
      'async.ts': 'export default async function () {}',
    },
    gives: ['default', 'default', 'default', 'Named', 'mine', 'default', 'default'],
  },
  'called imports have no this': {
    files: {
      'main.ts': `import { self } from './self.js'; import again, * as all from './self.js'; export default [self(), all.self() === all, again()];`,
      'self.ts': `export function self() { return this ?? 'none'; } export default self;`,
    },
    gives: ['none', true, 'none'],
  },
  'local names hide imports': {
    files: {
      'main.ts': `import { x } from './x.js'; const f = (x: number) => x + 1; { const x = 5; globalThis.inner = x; }
        const { a = x, ...rest } = { b: x }; export default [x, f(2), globalThis.inner, a, rest, { x }, typeof x];`,
      'x.ts': 'export const x = 1;',
    },
    gives: [1, 3, 5, 1, { b: 1 }, { x: 1 }, 'number'],
  },
  'imports cannot be assigned to': {
    files: {
      'main.ts': `import * as it from './x.js'; let told; try { Object.assign(it, { x: 2 }); } catch (error) { told = error.name; } export default [told, it.x];`,
      'x.ts': 'export const x = 1;',
    },
    gives: ['TypeError', 1],
  },
  'code is strict, without this and CommonJS variables': {
    files: {
      'main.ts': `export default [this === undefined, (function () { return this === undefined; })(), typeof require, typeof module,
          typeof exports, typeof __filename];`,
    },
    gives: [true, true, 'undefined', 'undefined', 'undefined', 'undefined'],
  },
  'import.meta has the location of the module': {
    files: {
      'main.ts': `import { basename } from 'node:path'; import { fileURLToPath } from 'node:url';
        const { url, filename, dirname } = import.meta;
        export default [fileURLToPath(url) === filename, filename.startsWith(dirname), basename(filename).replace(/\\..*/, ''),
          Object.getPrototypeOf(import.meta), import.meta === import.meta];`,
    },
    gives: [true, true, 'main', null, true],
  },
  'import.meta.resolve resolves as import does': {
    files: {
      'main.ts': `import { fileURLToPath } from 'node:url'; const { resolve } = import.meta;
        const tail = (url: string) => url.replace(/^.*\\/(cases|node_modules)\\//, '').replace(/\\.[jt]s$/, '');
        const code = (act: () => unknown) => { try { act(); } catch (error) { return error.code; } };
        export default [resolve('fs'), resolve('node:fs'), tail(resolve('./main.js')) === tail(import.meta.url), tail(resolve('./none.txt')).endsWith('/none.txt'),
          tail(resolve('dual')), tail(resolve('cjs')), resolve('data:text/javascript,1'), code(() => resolve('nowhere')), code(() => resolve('esm/none'))];`,
    },
    gives: [
      'node:fs',
      'node:fs',
      true,
      true,
      'dual/index.mjs',
      'cjs/index',
      'data:text/javascript,1',
      'ERR_MODULE_NOT_FOUND',
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    ],
  },
};
