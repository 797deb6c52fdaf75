import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { positionOf } from '../../loader/index.js';
import { call, project, rejection, thrown } from './project.js';

const before = thrown(() => Buffer.alloc(Number.NaN)).stack?.split('\n', 2);

const places = (error: unknown, file: string) =>
  [...String(Object(error).stack).matchAll(/^ {4}at (.+):(\d+):(\d+)\)?$/gm)]
    .filter(([, where]) => where?.endsWith(file))
    .map(([, , line, column]) => `${line}:${column}`);

test('points where Node points', async () => {
  const text = `import { fail, Thing } from './b.mjs';

  const object = { method() {   fail('é😀'); }, get prop() { return   null.x; } };
export const runs = [
  () => object.method(), () => object.prop, () => new Thing().go(1),
  () => { const a = 1;    throw Object.assign(new Error('here'), { a }); },
  () => [1, 2].map((n) => n.toFixed(200)),
  () => undefinedName + 1,
  () => JSON.parse('{'),
  () => 'é😀' + \`\${fail('template')}\`,
  () => Thing.none(), () => fail.none.more, () => (0, fail)(1),
  function named() { return fail(
    'argument',
  ); },
];
`;
  const { import: load, at } = project({
    'a.mjs': text,
    'b.mjs': `export function fail(why) { if (why)   throw new TypeError(why); }
export class Thing { #x = 1; go(n) { return n ? this.go(n - 1) : fail(this.#x); } }`,
  });
  const [ours, nodes] = [await load('a.mjs'), await import(pathToFileURL(at('a.mjs')).href)];
  const all = (runs: unknown) => Array.from(Object(runs), (run: () => unknown) => thrown(run));
  const expected = all(nodes.runs);
  assert.is(expected.length, 12);
  for (const [i, error] of all(ours.runs).entries()) {
    for (const file of ['a.mjs', 'b.mjs'])
      assert.equal(
        places(error, file),
        places(expected[i], file),
        `${i} ${error.stack}\n${expected[i]?.stack}`,
      );
  }
});

test('points into the source, not into the generated code', async () => {
  const {
    import: load,
    at,
    root,
  } = project({
    'src/a.ts': `import { explode } from './b.js';

interface Long {
  one: string;
}
enum Kind { A, B }

export const run = (input: Long, kind: Kind = Kind.A): void => { explode<Long>(input); };
export default async () => { await null;   run({ one: '' }); };
`,
    'src/b.ts': `type X = { x: number };
class Exploder { constructor(private readonly why: string) {} now(): never { throw new Error(this.why); } }
export function explode<T>(it: T & Partial<X>): never {
  return new Exploder('boom').now();
}`,
  });
  const a = await load('src/a.ts');
  const error = thrown(() => call(a, 'run', {}));
  assert.equal(places(error, 'b.ts'), ['2:84', '4:31']);
  assert.equal(places(error, 'a.ts'), ['8:66']);
  assert.equal(positionOf(error, root), { file: at('src/b.ts'), line: 2, column: 84 });
  const later = await rejection(Promise.resolve(call(a, 'default')));
  assert.equal(places(later, 'a.ts'), ['8:66', '9:44']);
  assert.match(String(Object(later).stack), /at (async )?default \(/);
});

test('points to an error at import', async () => {
  const {
    import: load,
    at,
    root,
  } = project({
    'a.ts': `type A = 1;\n\n  const a: A = null.x;`,
    'early.ts': `import { later } from './b.js';\nexport const x = later;`,
    'b.ts': `import './early.js';\n\nexport const later = 1;`,
  });
  assert.equal(positionOf(await rejection(load('a.ts')), root), { file: at('a.ts'), line: 3, column: 21 });
  assert.equal(positionOf(await rejection(load('b.ts')), root), {
    file: at('early.ts'),
    line: 2,
    column: 18,
  });
});

test('parses positions with parentheses in their path', async () => {
  const {
    import: load,
    at,
    root,
  } = project({
    'src/(shop)/a.ts': `export const run = () => { throw new Error('x'); };`,
  });
  const a = await load('src/(shop)/a.ts');
  const error = thrown(() => call(a, 'run'));
  assert.equal(positionOf(error, `${root}/`), { file: at('src/(shop)/a.ts'), line: 1, column: 34 });
});

test('shows the names of the source', async () => {
  const { import: load } = project({
    'a.ts': `import text, { text as other } from './b.js'; export const one = () => other(); text();`,
    'b.ts': `const text: any = 'text'; export { text as default, text };`,
  });
  const error = await rejection(load('a.ts'));
  assert.not.match(Object(error).stack, '__vite');
  assert.is(Object(error).message, 'default is not a function');
});

test('points into the text that ran, not into a newer one', async () => {
  const { loader, write, at, root } = project({
    'a.ts': `export const fail = () => { throw new Error('old'); };`,
  });
  const old = await loader.import(at('a.ts'));
  write({ 'a.ts': `// moved\n\n\nexport const fail = () => { throw new Error('new'); };` });
  const renewed = await (await loader.renew([at('a.ts')])).loader.import(at('a.ts'));
  assert.is(
    positionOf(
      thrown(() => call(old, 'fail')),
      root,
    )?.line,
    1,
  );
  assert.is(
    positionOf(
      thrown(() => call(renewed, 'fail')),
      root,
    )?.line,
    4,
  );
});

test('points into the text that ran, not into one that existed while the file was being saved', async () => {
  const text = `export const fail = () => { throw new Error('here'); };`;
  const { loader, write, at, root } = project({ 'a.ts': text });
  const { fail } = await loader.import(at('a.ts'));
  write({ 'a.ts': `\n\n\n${text}` });
  loader.prepare(at('a.ts'));
  write({ 'a.ts': text });
  await loader.renew([at('a.ts')]);
  assert.is(
    positionOf(
      thrown(() => call({ fail }, 'fail')),
      root,
    )?.line,
    1,
  );
});

test('distinguishes project code from packages and other code', async () => {
  const {
    import: load,
    at,
    root,
  } = project({
    'a.ts': `import fail from 'fails';\n\nexport const run = () => fail();`,
    'node_modules/fails/index.js': `module.exports = () => { throw new Error('package'); };`,
  });
  const a = await load('a.ts');
  assert.equal(
    positionOf(
      thrown(() => call(a, 'run')),
      root,
    ),
    { file: at('a.ts'), line: 3, column: 26 },
  );
  assert.is(positionOf(new Error('of the test'), root), undefined);
  assert.is(positionOf('text', root), undefined);
  assert.is(
    positionOf(
      thrown(() => call(a, 'run')),
      at('elsewhere'),
    ),
    undefined,
  );
});

test('leaves other stack traces unchanged', async () => {
  await project({ 'a.ts': '' }).import('a.ts');
  const format = Error.prepareStackTrace;
  await project({ 'a.ts': '' }).import('a.ts');
  assert.is(Error.prepareStackTrace, format);
  const error = thrown(() => Buffer.alloc(Number.NaN));
  assert.equal(error.stack?.split('\n', 2), before);
  assert.match(before?.[0] ?? '', 'RangeError [ERR_OUT_OF_RANGE]: ');
  const plain = new TypeError('plain');
  assert.match(plain.stack ?? '', /^TypeError: plain\n {4}at .*stack\.test\.js:\d+:\d+\)?\n/);
});

test.run();
