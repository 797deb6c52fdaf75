import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { call, project, rejection } from './project.js';

test('awaits at the top level, in order', async () => {
  const { import: load } = project({
    'a.ts': `import { log } from './log'; import './b'; import './c'; log.push('a'); export { log };`,
    'b.ts': `import { log } from './log'; await new Promise((done) => setImmediate(done)); log.push('b');`,
    'c.ts': `import { log } from './log'; log.push('c');`,
    'log.ts': `export const log: string[] = [];`,
  });
  assert.equal((await load('a.ts')).log, ['b', 'c', 'a']);
});

test('evaluates packages and modules in the order of the imports', async () => {
  const { import: load } = project({
    'a.ts': `import './before.ts'; import seen from 'reader'; import './after.ts'; export default seen;`,
    'before.ts': `globalThis.fwkOrder = ['before'];`,
    'after.ts': `globalThis.fwkOrder.push('after');`,
    'node_modules/reader/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/reader/index.js': `export default [...globalThis.fwkOrder, 'package'];`,
  });
  assert.equal((await load('a.ts')).default, ['before', 'package']);
});

test('gives import.meta', async () => {
  const { import: load, at } = project({
    'src/a.ts': `export const { url, filename, dirname } = import.meta;
      export const resolve = (it: string) => import.meta.resolve(it);`,
    'src/b.ts': '',
    'node_modules/pkg/package.json': '{ "main": "main.js" }',
    'node_modules/pkg/main.js': '',
  });
  const namespace = await load('src/a.ts');
  const href = (file: string) => pathToFileURL(at(file)).href;
  assert.is(namespace.url, href('src/a.ts'));
  assert.is(namespace.filename, at('src/a.ts'));
  assert.is(namespace.dirname, path.dirname(at('src/a.ts')));
  assert.is(call(namespace, 'resolve', './b.js'), href('src/b.ts'));
  assert.is(call(namespace, 'resolve', './none.txt'), href('src/none.txt'));
  assert.is(call(namespace, 'resolve', 'fs'), 'node:fs');
  assert.is(call(namespace, 'resolve', 'pkg'), href('node_modules/pkg/main.js'));
});

test('runs import cycles with hoisted functions', async () => {
  const { import: load } = project({
    'a.ts': `import { isOdd } from './b'; export function isEven(n: number): boolean { return n === 0 || isOdd(n - 1); }
      export const ten = isEven(10);`,
    'b.ts': `import { isEven } from './a'; export function isOdd(n: number): boolean { return n !== 0 && isEven(n - 1); }
      export const early = isEven(4);`,
  });
  assert.is((await load('a.ts')).ten, true);
  assert.is((await load('b.ts')).early, true);
});

test('lets a function of a cycle use the imports of its module before that is evaluated', async () => {
  const { import: load } = project({
    'a.ts': `import { unit } from './unit'; import { early } from './b';
      export function area(n: number) { return n * n + unit(); } export const all = early;`,
    'b.ts': `import { area } from './a'; export const early = area(3);`,
    'unit.ts': `export const unit = () => 'm²';`,
  });
  assert.is((await load('a.ts')).all, '9m²');
});

test('throws a ReferenceError for what a cycle has not initialized yet', async () => {
  const { import: load } = project({
    'a.ts': `import './b'; export const later = 1;`,
    'b.ts': `import { later } from './a'; export const now = later;`,
    'default.ts': `import './reader'; export default () => 1;`,
    'reader.ts': `import value from './default'; value();`,
  });
  const error = await rejection(load('a.ts'));
  assert.instance(error, ReferenceError);
  assert.is(String(error), `ReferenceError: Cannot access 'later' before initialization`);
  assert.match(String(await rejection(load('default.ts'))), `Cannot access 'default' before initialization`);
});

test('evaluates members of one cycle in the order of the first import, when imported at once', async () => {
  const { import: load } = project({
    'a.ts': `import './slow'; import { b } from './b'; export const a = b + 1;`,
    'b.ts': `import { a } from './a'; export const b = 1; export const later = () => a;`,
    'slow.ts': `await new Promise((done) => setImmediate(done));`,
  });
  const [a, b] = await Promise.all([load('a.ts'), load('b.ts')]);
  assert.is(a.a, 2);
  assert.is(call(b, 'later'), 2);
});

test('does not hang when a module awaits an import of a module that comes after it', async () => {
  const { import: load } = project({
    'a.ts': `import { en } from './language'; import { plural } from './plural'; export const text = en + plural;`,
    'language.ts': `export const { en } = await import('./en');`,
    'en.ts': `import { plural } from './plural'; export const en = 'book' + plural;`,
    'plural.ts': `export const plural = 's';`,
  });
  assert.is((await load('a.ts')).text, 'bookss');
});

test('imports JSON', async () => {
  const { import: load } = project({
    'a.ts': `import one from './one.json'; import two from './two.json' with { type: 'json' };
      export const three = (await import('./one.json', { with: { type: 'json' } })).default;
      import four from 'data/four.json' with { type: 'json' };
      export { one, two, four };`,
    'one.json': '\uFEFF{ "a": [1, null], "__proto__": 1 }',
    'two.json': '"two"',
    'node_modules/data/four.json': '4',
  });
  const { one, two, three, four } = await load('a.ts');
  assert.equal(one, JSON.parse('{ "a": [1, null], "__proto__": 1 }'));
  assert.is(two, 'two');
  assert.is(three, one);
  assert.is(four, 4);
});

test('keeps bindings alive', async () => {
  const { import: load } = project({
    'a.ts': `export { count as n } from './b'; export * from './b'; export * as all from './b';`,
    'b.ts': `export let count = 0; export const add = () => { count += 1; };`,
    'c.ts': `import { count, add } from './b'; import * as b from './b'; add(); export const seen = [count, b.count];`,
  });
  const a = await load('a.ts');
  assert.equal((await load('c.ts')).seen, [1, 1]);
  call(a, 'add');
  assert.equal([a.n, a.count], [2, 2]);
});

test('makes namespaces like those of Node', async () => {
  const { import: load, at } = project({
    'a.mjs': `export * from './b.mjs'; export * as all from './b.mjs'; export { default as b, x as 'a name' } from './b.mjs';
      import { y } from './b.mjs'; export { y as why }; export * from './c.mjs'; export let own = 1;`,
    'b.mjs': `export const x = 1, y = 2, both = 3; export default 4; export * from './d.mjs';`,
    'c.mjs': `export const both = 5; export * from './d.mjs';`,
    'd.mjs': `export const diamond = 6;`,
  });
  const [ours, nodes] = [await load('a.mjs'), await import(pathToFileURL(at('a.mjs')).href)];
  assert.equal(Object.keys(ours), Object.keys(nodes));
  assert.equal({ ...ours, all: { ...Object(ours.all) } }, { ...nodes, all: { ...nodes.all } });
  assert.is(Object.prototype.toString.call(ours), Object.prototype.toString.call(nodes));
  assert.throws(() => Reflect.apply(Object.assign, Object, [ours, { own: 2 }]), TypeError);
  assert.not.ok(Object.isExtensible(ours));
});

test('passes names of packages on', async () => {
  const { import: load } = project({
    'a.ts': `export * from 'node:path'; export { readFileSync as read } from 'fs'; export * from './b';`,
    'sub/c.ts': `export * from 'node:path';`,
    'b.ts': `export * from './sub/c';`,
  });
  const namespace = await load('a.ts');
  assert.is(namespace.join, path.join);
  assert.type(namespace.read, 'function');
  assert.not.ok('default' in namespace);
});

test('imports dynamically, with specifiers known only at run time', async () => {
  const { import: load } = project({
    'src/a.ts': `export const load = (name: string) => import(\`./\${name}.js\`); export const os = () => import('node:os');`,
    'src/b.ts': `export const b = 1;`,
  });
  const a = await load('src/a.ts');
  assert.is(await call(a, 'load', 'b'), await load('src/b.ts'));
  assert.is(await call(a, 'os'), await import('node:os'));
});

test('makes one instance, however it is imported', async () => {
  const { import: load, at } = project({
    'a.ts': `import '${'./b'}'; export const instance = {};`,
    'b.ts': `import * as first from './a.js'; import * as second from './a'; export { first, second };
      export const third = () => import(new URL('./a.ts', import.meta.url).href);`,
  });
  const [a, again, b] = await Promise.all([load('a.ts'), load('a.ts'), load('b.ts')]);
  assert.is(again, a);
  assert.is(b.first, a);
  assert.is(b.second, a);
  assert.is(await call(b, 'third'), a);
  assert.is(await load(path.relative(at('.'), at('a.ts'))), a);
});

test('names anonymous default exports "default"', async () => {
  const { import: load } = project({
    'a.ts': `export default function () {}`,
    'b.ts': `export default async () => {};`,
    'c.ts': `export default class { static x = 1 }`,
    'd.ts': `export default class { static name = 'mine' }`,
    'e.ts': `export default function named() {}`,
  });
  const names = [];
  for (const file of ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts']) {
    const { default: value } = await load(file);
    names.push(typeof value === 'function' && value.name);
  }
  assert.equal(names, ['default', 'default', 'default', 'mine', 'named']);
});

test('is strict code without this, require and module', async () => {
  const { import: load } = project({
    'a.js': `#!/usr/bin/env node
export const self = this;
export const strict = (function () { return this === undefined; })();
export const cjs = [typeof require, typeof module, typeof exports];`,
  });
  const { self, strict, cjs } = await load('a.js');
  assert.is(self, undefined);
  assert.is(strict, true);
  assert.equal(cjs, ['undefined', 'undefined', 'undefined']);
});

test('lists the files it loaded', async () => {
  const {
    import: load,
    loader,
    at,
  } = project({
    'a.ts': `import './b'; import data from './data.json'; import 'node:fs'; export const c = () => import('./c'); data;`,
    'b.ts': '',
    'c.ts': '',
    'data.json': '1',
  });
  const a = await load('a.ts');
  assert.equal([...loader.files].sort(), [at('a.ts'), at('b.ts'), at('data.json')]);
  await call(a, 'c');
  assert.ok([...loader.files].includes(at('c.ts')));
});

test.run();
