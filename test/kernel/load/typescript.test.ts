import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { call, project } from './project.js';

test('finds files as TypeScript does', async () => {
  const { import: load } = project({
    'a.ts': `import { ts } from './x.js'; import { mts } from './y.mjs'; import { extensionless } from './z.service';
      import { index } from './dir'; import { plain } from './plain.js'; import { index as dot } from './dir/';
      export const all = [ts, mts, extensionless, index, plain, dot];`,
    'x.ts': `export const ts = 'ts';`,
    'x.js': `export const ts = 'js';`,
    'y.mts': `export const mts = 'mts';`,
    'z.service.ts': `export const extensionless = 'service';`,
    'dir/index.ts': `export const index = 'index';`,
    'plain.js': `export const plain = 'plain';`,
  });
  assert.equal((await load('a.ts')).all, ['ts', 'mts', 'service', 'index', 'plain', 'index']);
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

test('inherits paths relative to the file that has them', async () => {
  const { import: load } = project({
    'tsconfig.json': `{ "extends": ["./config/first.json", "./config/base.json"] }`,
    'config/first.json': `{ "compilerOptions": { "paths": { "~/*": ["./nowhere/*"] } } }`,
    'config/base.json': `{ "compilerOptions": { "paths": { "~/*": ["../src/*"] } } }`,
    'src/a.ts': `export { b } from '~/b';`,
    'src/b.ts': `export const b = 1;`,
  });
  assert.is((await load('src/a.ts')).b, 1);
});

test('runs enums, namespaces and parameter properties', async () => {
  const { import: load } = project({
    'a.ts': `import { Level } from './b';
      enum Colour { Red = 1, Blue = Red << 2 } const enum Size { Small = 'S', Large = 'L' }
      namespace Shape { export const sides = 4; export namespace Inner { export const x = sides * 2; } }
      class Point { constructor(readonly x: number, private y = 2) {} sum() { return this.x + this.y; } }
      export const all = [Colour.Blue, Colour[1], Size.Large, Shape.Inner.x, new Point(1).sum(), Level.High];`,
    'b.ts': `export const enum Level { Low, High }`,
  });
  assert.equal((await load('a.ts')).all, [4, 'Red', 'L', 8, 3, 1]);
});

test('erases what is only a type', async () => {
  const { import: load } = project({
    'a.ts': `import type { Gone } from './gone'; import { type Also, value } from './b'; import { Shape } from './b';
      export type { Gone } from './gone'; export { type Shape as Other } from './b'; import './b';
      export const it = (value as Also) satisfies Shape; declare const never: Gone; abstract class A<T> { declare x: T }
      export interface Only { a: A<typeof never> }`,
    'b.ts': `export type Also = number; export interface Shape {} export const value = 1;`,
  });
  const namespace = await load('a.ts');
  assert.equal(Object.keys(namespace), ['it']);
});

test('keeps imports that verbatimModuleSyntax keeps', async () => {
  const { import: load } = project({
    'tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
    'a.ts': `import { unused } from './b'; export const seen = globalThis.fwkVerbatim;`,
    'b.ts': `globalThis.fwkVerbatim = true; export const unused = 1;`,
  });
  assert.is((await load('a.ts')).seen, true);
});

test('runs legacy decorators with metadata', async () => {
  const { import: load } = project({
    'tsconfig.json':
      '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }',
    'a.ts': `import { Store } from './store';
      export const seen: unknown[] = [];
      Object.assign(Reflect, { metadata: (key: string, value: unknown) => () => { seen.push([key, value]); } });
      const inject = (_: object, name: string | undefined, index: number) => { seen.push(['inject', name, index]); };
      const mark = (target: object, name: string) => { seen.push(['mark', name]); };
      const service = (type: Function) => { seen.push(['service', type.name]); };
      @service export class Books {
        constructor(@inject readonly store: Store, readonly name: string) {}
        @mark find(id: number): boolean { return id > 0; }
      }
      export { Store };`,
    'store.ts': `export class Store {}`,
  });
  const { seen, Store } = await load('a.ts');
  assert.equal(seen, [
    ['design:returntype', Boolean],
    ['design:paramtypes', [Number]],
    ['design:type', Function],
    ['mark', 'find'],
    ['design:paramtypes', [Store, String]],
    ['inject', undefined, 0],
    ['service', 'Books'],
  ]);
});

test('defines class fields unless told otherwise', async () => {
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

test('runs what the oldest Node does not know', async () => {
  const { import: load } = project({
    'a.ts': `export function run() { const log: string[] = [];
      { using file = { [Symbol.dispose ?? Symbol.for('Symbol.dispose')]: () => log.push('closed') }; log.push('used'); }
      return log; }`,
  });
  assert.equal(call(await load('a.ts'), 'run'), ['used', 'closed']);
});

test.run();
