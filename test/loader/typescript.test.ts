import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { project } from './project.js';

test('finds files as TypeScript does', async () => {
  const { import: load } = project({
    'a.ts': `import { ts } from './x.js'; import { mts } from './y.mjs'; import { extensionless } from './z.service.js';
      import { index } from './dir/index.js'; import { plain } from './plain.js'; import { typed } from './w.ts';
      export const all = [ts, mts, extensionless, index, plain, typed];`,
    'x.ts': `export const ts = 'ts';`,
    'x.js': `export const ts = 'js';`,
    'y.mts': `export const mts = 'mts';`,
    'z.service.ts': `export const extensionless = 'service';`,
    'dir/index.ts': `export const index = 'index';`,
    'w.ts': `export const typed = 'w';`,
    'plain.js': `export const plain = 'plain';`,
  });
  assert.equal((await load('a.ts')).all, ['ts', 'mts', 'service', 'index', 'plain', 'w']);
});

test('follows the paths of tsconfig.json, through comments and extends', async () => {
  const { import: load } = project({
    'tsconfig.json': `{
      // the house
      "extends": "./config/base", /* a "base" */
      "compilerOptions": { "paths": { "@/*": ["./src/*"], "@/special/*": ["./none/*", "./special/*"], "exact": ["./src/exact.ts"], }, },
    }`,
    'config/base.json': `{ "compilerOptions": { "experimentalDecorators": true, "paths": { "lost/*": ["./*"] } } }`,
    'src/a.ts': `import { b } from '@/b.js'; import { c } from '@/special/c'; import { exact } from 'exact';
      const mark = (target: { marked?: boolean }) => { target.marked = true; };
      @mark class Marked { static marked: boolean }
      export const all = [b, c, exact, Marked.marked];`,
    'src/b.ts': `export const b = 'b // not a comment';`,
    'src/exact.ts': `export const exact = 'exact';`,
    'special/c.ts': `export const c = 'c';`,
  });
  assert.equal((await load('src/a.ts')).all, ['b // not a comment', 'c', 'exact', true]);
});

test('inherits paths relative to the file that defines them', async () => {
  const { import: load } = project({
    'tsconfig.json': `{ "extends": ["./config/first.json", "./config/base.json"] }`,
    'config/first.json': `{ "compilerOptions": { "paths": { "~/*": ["./nowhere/*"] } } }`,
    'config/base.json': `{ "compilerOptions": { "paths": { "~/*": ["../src/*"] } } }`,
    'src/a.ts': `export { b } from '~/b';`,
    'src/b.ts': `export const b = 1;`,
  });
  assert.is((await load('src/a.ts')).b, 1);
});

test('inherits from packages, whose paths may point into the project', async () => {
  const { import: load } = project({
    'tsconfig.json': `{ "extends": ["@acme/base", "@acme/base/deep/strict", "coded", "@acme/missing"] }`,
    'node_modules/@acme/base/tsconfig.json': `{ "compilerOptions": { "paths": { "~/*": ["\${configDir}/src/*"] } } }`,
    'node_modules/@acme/base/deep/strict.json': `{ "compilerOptions": { "verbatimModuleSyntax": true } }`,
    'node_modules/coded/package.json': `{ "main": "index.js" }`,
    'node_modules/coded/index.js': 'no JSON',
    'node_modules/coded/tsconfig.json': `{ "compilerOptions": { "experimentalDecorators": true } }`,
    'src/a.ts': `import { b } from '~/b'; import { unused } from './seen.js';
      const mark = (target: { marked?: boolean }) => { target.marked = true; };
      @mark class Marked { static marked: boolean }
      export const all = [b, globalThis.fwkInherited, Marked.marked];`,
    'src/b.ts': `export const b = 'b';`,
    'src/seen.ts': `globalThis.fwkInherited = 'seen'; export const unused = 1;`,
  });
  assert.equal((await load('src/a.ts')).all, ['b', 'seen', true]);
});

test('keeps imports that verbatimModuleSyntax keeps', async () => {
  const { import: load } = project({
    'tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
    'a.ts': `import { unused } from './b.js'; export const seen = globalThis.fwkVerbatim;`,
    'b.ts': `globalThis.fwkVerbatim = true; export const unused = 1;`,
  });
  assert.is((await load('a.ts')).seen, true);
});

test('defines class fields unless configured otherwise', async () => {
  const text = `class Base { constructor() { this.init(); } init() {} } class Sub extends Base { x: number; init() { this.x = 1; } }
    export const x = new Sub().x;`;
  const standard = project({ 'a.ts': text });
  const old = project({
    'a.ts': text,
    'tsconfig.json': '{ "compilerOptions": { "useDefineForClassFields": false } }',
  });
  assert.is((await standard.import('a.ts')).x, undefined);
  assert.is((await old.import('a.ts')).x, 1);
});

test.run();
