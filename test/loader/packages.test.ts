import { mkdirSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { call, moduleError, project, rejection } from './project.js';

const packages = {
  'node_modules/cjs/index.js': `exports.named = 'cjs'; exports.load = () => import('./late.mjs');`,
  'node_modules/cjs/late.mjs': `export default 'late';`,
  'node_modules/esm/package.json':
    '{ "type": "module", "exports": { ".": "./index.js", "./sub": "./sub.js" } }',
  'node_modules/esm/index.js': `export const instance = {}; export default 'esm';`,
  'node_modules/esm/sub.js': `export { instance } from 'esm';`,
  'node_modules/dual/package.json': '{ "exports": { "import": "./index.mjs", "require": "./index.cjs" } }',
  'node_modules/dual/index.mjs': `export const format = 'esm';`,
  'node_modules/dual/index.cjs': `exports.format = 'cjs';`,
};

test('shares packages with the process', async () => {
  const { import: load, at } = project({
    'a.ts': `import * as assert from 'uvu/assert'; export { assert };`,
  });
  const assertions = createRequire(import.meta.url).resolve('uvu/assert');
  mkdirSync(at('node_modules'));
  symlinkSync(path.resolve(assertions, '../..'), at('node_modules/uvu'));
  assert.is((await load('a.ts')).assert, assert);
});

test('evaluates no package again', async () => {
  const { loader, at, write } = project({
    ...packages,
    'a.ts': `export { instance } from 'esm'; export const own = {};`,
  });
  const first = await loader.import(at('a.ts'));
  write({ 'a.ts': `export { instance } from 'esm'; export const own = { other: true };` });
  const second = await (await loader.renew([at('a.ts')])).loader.import(at('a.ts'));
  assert.is.not(second.own, first.own);
  assert.is(second.instance, first.instance);
});

test('resolves #imports and the name of the package itself', async () => {
  const { import: load } = project({
    'package.json': `{ "type": "module", "name": "shop", "exports": { "./b": "./src/b.ts" }, "imports": { "#lib/*": "./src/*.ts" } }`,
    'src/a.ts': `import * as b from '#lib/b'; import * as self from 'shop/b'; import * as near from './b.js';
      export default [b, self, near];`,
    'src/b.ts': `export const b: number = 1;`,
  });
  const [b, self, near] = Object((await load('src/a.ts')).default);
  assert.is(b, near);
  assert.is(self, near);
});

test('reports an invalid import of a package', async () => {
  const { import: load, at } = project({
    ...packages,
    'missing.ts': `export {};\nimport 'nowhere';`,
    'name.ts': `\nimport { nope } from 'cjs';\nexport { nope };`,
    'broken.ts': `import 'broken';`,
    'node_modules/broken/index.mjs': `export const a = ;`,
    'node_modules/broken/package.json': `{ "exports": "./index.mjs" }`,
  });
  const missing = await moduleError(load('missing.ts'));
  assert.equal([missing.code, missing.file, missing.line], ['ERR_MODULE_NOT_FOUND', at('missing.ts'), 2]);
  assert.match(missing.message, `'nowhere'`);
  const name = await moduleError(load('name.ts'));
  assert.equal([name.code, name.file, name.line], ['ERR_MODULE_EXPORT', at('name.ts'), 2]);
  assert.match(name.message, `'cjs' does not provide an export named 'nope'`);
  const broken = await moduleError(load('broken.ts'));
  assert.equal([broken.code, broken.file], ['ERR_MODULE_SYNTAX', at('broken.ts')]);
  assert.is(broken.message, `'broken' does not parse: Unexpected token ';'`);
});

test('lets a module catch a missing optional package', async () => {
  const { import: load } = project({
    'a.ts': `export const code = await import('nowhere').catch((error) => error.code);`,
  });
  assert.is((await load('a.ts')).code, 'ERR_MODULE_NOT_FOUND');
  const later = project({ 'a.ts': `export const load = () => import('./nowhere');` });
  const error = await rejection(Promise.resolve(call(await later.import('a.ts'), 'load')));
  assert.is(Object(error).code, 'ERR_MODULE_NOT_FOUND');
});

test.run();
