import path from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SourceLoader } from '../../loader/index.js';
import { call, moduleError, type Project, project, type Texts } from './project.js';

/** Writes the texts and makes the loader of the version that has them. */
async function renew({ write, at, root }: Project, loader: SourceLoader, texts: Texts) {
  write(texts);
  const renewal = await loader.renew(Object.keys(texts).map(at));
  return {
    loader: renewal.loader,
    stale: [...renewal.stale].map((file) => path.relative(root, file)).sort(),
  };
}

/** A diamond, `a` over `b` and `c` over `d`, and `e` without any relation to it. */
const diamond = {
  'a.ts': `import { b } from './b.js'; import { c } from './c.js'; export const a = { b, c };`,
  'b.ts': `import { d } from './d.js'; export const b = { d };`,
  'c.ts': `import { d } from './d.js'; export const c = { d };`,
  'd.ts': 'export const d = { is: 1 };',
  'e.ts': 'export const e = {};',
};

async function loaded(texts: Texts, ...files: readonly string[]) {
  const made = project(texts);
  const namespaces = [];
  for (const file of files) namespaces.push(await made.loader.import(made.at(file)));
  return { made, namespaces };
}

test('a changed module and its importers are evaluated again, and all others are kept', async () => {
  const { made, namespaces } = await loaded(diamond, 'a.ts', 'e.ts');
  const [oldA, oldE] = namespaces;
  const next = await renew(made, made.loader, {
    'b.ts': `import { d } from './d.js'; export const b = { d, other: true };`,
  });
  assert.equal(next.stale, ['a.ts', 'b.ts']);
  const a = Object(await next.loader.import(made.at('a.ts'))).a;
  assert.ok(a.b.other);
  assert.is(a.c, Object(oldA?.a).c);
  assert.is(await next.loader.import(made.at('e.ts')), oldE);
  assert.is(
    (await renew(made, next.loader, { 'd.ts': 'export const d = { is: 2 };' })).stale.join(' '),
    'a.ts b.ts c.ts d.ts',
  );
  assert.is(await made.loader.import(made.at('a.ts')), oldA, 'the loader before is as it was');
});

test('an edit that changes no code evaluates nothing, and stack traces have the new lines', async () => {
  const text = (before: string, type: string) =>
    `${before}export const fail = (why${type}) => {\n  throw new Error(why);\n};`;
  const { made, namespaces } = await loaded({ 'a.ts': text('', ': string') }, 'a.ts');
  for (const [before, type, line] of [
    ['', ': string', 2],
    ['', ': string | boolean', 2],
    ['\n\n', ': string', 4],
  ] as const) {
    assert.equal((await renew(made, made.loader, { 'a.ts': text(before, type) })).stale, []);
    try {
      call(namespaces[0] ?? {}, 'fail', 'here');
      assert.unreachable();
    } catch (error) {
      assert.match(Object(error).stack, `a.ts:${line}:9`);
    }
  }
});

test('a prepared module is used if its text is unchanged, and reports no mistakes', async () => {
  const { made } = await loaded({ 'a.ts': 'export const a = 1;' }, 'a.ts');
  let { loader } = made;
  for (const [prepared, saved, is] of [
    ['export const a = 2;', 'export const a = 2;', 2],
    ['export const a = 0;', 'export const a = 3;', 3],
    ['export const a =', 'export const a = 4;', 4],
  ] as const) {
    made.write({ 'a.ts': prepared });
    loader.prepare(made.at('a.ts'));
    ({ loader } = await renew(made, loader, { 'a.ts': saved }));
    assert.is((await loader.import(made.at('a.ts'))).a, is);
  }
  // Neither evaluated again nor seen as unedited, although the code was compiled from the new text.
  made.write({ 'a.ts': '\n\nexport const a = 4;' });
  loader.prepare(made.at('a.ts'));
  const { stale, edited } = await loader.renew([made.at('a.ts')]);
  assert.equal([[...stale], [...edited]], [[], [made.at('a.ts')]]);
  made.write({ 'a.ts': 'export const a =' });
  loader.prepare(made.at('a.ts'));
  const broken = await loader.renew([made.at('a.ts')]);
  await moduleError(broken.loader.import(made.at('a.ts')));
});

test('a cycle is evaluated again as a whole', async () => {
  const { made } = await loaded(
    {
      'a.ts': `import { b } from './b.js'; export const a = () => b;`,
      'b.ts': `import { a } from './a.js'; export const b = () => a;`,
      'c.ts': `import { a } from './a.js'; export const c = a;`,
      'd.ts': `export const d = 1;`,
    },
    'c.ts',
    'd.ts',
  );
  const { stale } = await renew(made, made.loader, {
    'b.ts': `import { a } from './a.js'; export const b = () => [a];`,
  });
  assert.equal(stale, ['a.ts', 'b.ts', 'c.ts']);
});

test('a dynamic import at run time counts as an import', async () => {
  const { made, namespaces } = await loaded(
    { 'a.ts': `export const load = () => import('./b.js');`, 'b.ts': `export const b = 'old';` },
    'a.ts',
  );
  const [a = {}] = namespaces;
  const change = { 'b.ts': `export const b = 'new';` };
  assert.equal((await renew(made, made.loader, change)).stale, [], 'not imported yet');
  assert.is(Object(await call(a, 'load')).b, 'new');
  const next = await renew(made, made.loader, { 'b.ts': `export const b = 'newer';` });
  assert.equal(next.stale, ['a.ts', 'b.ts']);
  assert.is(Object(await call(await next.loader.import(made.at('a.ts')), 'load')).b, 'newer');
  assert.is(Object(await call(a, 'load')).b, 'new', 'a generation keeps what its imports mean');
});

test('a kept module imports through the next version', async () => {
  const { made, namespaces } = await loaded(
    { 'a.ts': `export const load = () => import('./b.js');`, 'b.ts': `export const b = 'old';` },
    'a.ts',
    'b.ts',
  );
  const [a = {}] = namespaces;
  const { loader } = await renew(made, made.loader, { 'b.ts': `export const b = 'new';` });
  const b = await loader.import(made.at('b.ts'));
  assert.is(await loader.import(made.at('a.ts')), a);
  loader.adopt();
  assert.is(await call(a, 'load'), b);
});

test('a mistake leaves the previous loader unchanged and can be fixed', async () => {
  const { made, namespaces } = await loaded(diamond, 'a.ts');
  for (const [text, code] of [
    ['export const d = = 1;', 'ERR_MODULE_SYNTAX'],
    ['export const other = 1;', 'ERR_MODULE_EXPORT'],
    [`import './missing'; export const d = 1;`, 'ERR_MODULE_NOT_FOUND'],
  ] as const) {
    const { loader } = await renew(made, made.loader, { 'd.ts': text });
    assert.is((await moduleError(loader.import(made.at('a.ts')))).code, code);
    assert.ok(loader.wants(made.at('d.ts')));
    assert.is(await made.loader.import(made.at('a.ts')), namespaces[0]);
  }
  assert.equal((await renew(made, made.loader, { 'd.ts': diamond['d.ts'] })).stale, [], 'the old text again');
});

test('a failed module is tried again, even if unchanged', async () => {
  const { made } = await loaded({
    'a.ts': `if (!globalThis.ready) throw new Error('not ready'); export const a = 1;`,
    'b.ts': '',
  });
  await made.loader.import(made.at('a.ts')).then(
    () => assert.unreachable(),
    () => {},
  );
  Object.assign(globalThis, { ready: true });
  const next = await renew(made, made.loader, { 'b.ts': '' });
  assert.equal(next.stale, ['a.ts']);
  assert.is((await next.loader.import(made.at('a.ts'))).a, 1);
});

test('adding or removing a file changes the resolution of imports', async () => {
  const { made } = await loaded(
    { 'a.ts': `export { x } from './x.js';`, 'x.js': `export const x = 'js';`, 'b.ts': '' },
    'a.ts',
    'b.ts',
  );
  const next = await renew(made, made.loader, { 'x.ts': `export const x = 'ts';` });
  assert.equal(next.stale, ['a.ts']);
  assert.is((await next.loader.import(made.at('a.ts'))).x, 'ts');
  made.remove('x.ts');
  assert.equal([...(await next.loader.renew([made.at('x.ts')])).stale].sort(), [
    made.at('a.ts'),
    made.at('x.ts'),
  ]);
});

test('compiler options change the code of every module', async () => {
  const { made } = await loaded({ ...diamond, 'tsconfig.json': '{}' }, 'a.ts');
  assert.equal((await renew(made, made.loader, { 'tsconfig.json': '{ "files": [] }' })).stale, []);
  const { stale } = await renew(made, made.loader, {
    'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true } }',
  });
  assert.equal(stale, ['a.ts', 'b.ts', 'c.ts', 'd.ts']);
});

test.run();
