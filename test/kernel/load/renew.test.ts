import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { call, moduleError, project } from './project.js';

const texts = {
  'a.ts': `import { b } from './b'; export { b }; export const own = {};`,
  'b.ts': `export const b = 'old';`,
};

test('evaluates again and sees what changed', async () => {
  const { loader, at, write } = project(texts);
  const first = await loader.import(at('a.ts'));
  write({ 'b.ts': `export const b = 'new';` });
  assert.is(await loader.import(at('a.ts')), first);
  const second = await loader.renew().import(at('a.ts'));
  assert.equal([first.b, second.b], ['old', 'new']);
  assert.is.not(second.own, first.own);
});

test('keeps what dynamic imports of an older generation mean', async () => {
  const { loader, at, write } = project({ ...texts, 'c.ts': `export const load = () => import('./b');` });
  const c = await loader.import(at('c.ts'));
  const b = await loader.import(at('b.ts'));
  write({ 'b.ts': `export const b = 'new';` });
  await loader.renew().import(at('b.ts'));
  assert.is(await call(c, 'load'), b);
});

test('mends what was broken or missing', async () => {
  const { loader, at, write } = project({ 'a.ts': `import { b } from './b'; export { b };` });
  assert.is((await moduleError(loader.import(at('a.ts')))).code, 'ERR_MODULE_NOT_FOUND');
  write({ 'b.ts': 'export const = 1' });
  const second = loader.renew();
  assert.is((await moduleError(second.import(at('a.ts')))).code, 'ERR_MODULE_SYNTAX');
  assert.equal([...second.files].sort(), [at('a.ts'), at('b.ts')]);
  write({ 'b.ts': 'export const b = 1' });
  assert.is((await loader.renew().import(at('a.ts'))).b, 1);
});

test('sees a file that now comes first', async () => {
  const { loader, at, write } = project({
    'a.ts': `export { x } from './x.js';`,
    'x.js': `export const x = 'js';`,
  });
  assert.is((await loader.import(at('a.ts'))).x, 'js');
  write({ 'x.ts': `export const x = 'ts';` });
  assert.is((await loader.renew().import(at('a.ts'))).x, 'ts');
});

test.run();
