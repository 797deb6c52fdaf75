import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changedUnits } from '../../packages/prove/impact/spread.js';
import { graphOf, handler, reachOf } from './graph-of.js';

// Ways to write a service: who calls one member reaches that member, and nothing is missed of what it calls.

const test = suite('members of services');

/** The text of a service, and in it what `one` and `two` do. */
const service = (text: string): string =>
  `import { service } from 'fwkit';\nimport { other } from '../lib/other.js';\n${text}\n`;
const OTHER = 'export const other = { three() { return process.env.THREE; } };\n';
const ONE = 'one() { return process.env.ONE; }';
const TWO = 'two() { return process.env.TWO; }';

const envOf = async (text: string, call: string): Promise<string[]> => {
  const { leaves } = await reachOf(handler(`ctx.s3.${call}()`), {
    'services/s3.ts': service(text),
    'lib/other.ts': OTHER,
  });
  return [...leaves.env].sort();
};

/** Services whose members are told apart. */
const APART: Readonly<Record<string, string>> = {
  'an object': `export default service(() => ({ ${ONE}, ${TWO} }));`,
  'an object with a name': `export default service(() => {\n  const api = { ${ONE}, ${TWO} };\n  return api;\n});`,
  'a frozen object with a name': `export default service(() => {\n  const api = { ${ONE}, ${TWO} };\n  return Object.freeze(api);\n});`,
  'an instance with a name': `class A { ${ONE} ${TWO} }\nexport default service(() => {\n  const a = new A();\n  return a;\n});`,
  'a frozen instance': `class A { ${ONE} ${TWO} }\nexport default service(() => Object.freeze(new A()));`,
  'a sealed object of a type': `interface A { one(): unknown }\nexport default service(() => Object.seal({ ${ONE}, ${TWO} } satisfies A as A));`,
  'an async factory': `export default service(async () => {\n  await null;\n  return { ${ONE}, ${TWO} };\n});`,
  'a promise': `export default service(() => Promise.resolve({ ${ONE}, ${TWO} }));`,
  'a function that makes it': `const make = () => ({ ${ONE}, ${TWO} });\nexport default service(() => make());`,
  'a function that makes it, awaited': `async function make() { return { ${ONE}, ${TWO} }; }\nexport default service(async () => await make());`,
  'one of two, by a condition': `export default service(() => (Date.now() ? { ${ONE}, ${TWO} } : { one() {}, two() {} }));`,
  'one of two, returned early': `export default service(() => {\n  if (Date.now()) return { one() {}, two() {} };\n  return { ${ONE}, ${TWO} };\n});`,
  'objects that are assigned': `export default service(() => Object.assign({}, { ${ONE} }, { ${TWO} }));`,
};
for (const [name, text] of Object.entries(APART))
  test(`each is reached by itself: ${name}`, async () => {
    assert.equal(await envOf(text, 'one'), ['ONE']);
    assert.equal(await envOf(text, 'two'), ['TWO']);
  });

const SPREAD: Readonly<Record<string, string>> = {
  'spread before': `export default service(() => ({ ...other, ${ONE}, ${TWO} }));`,
  'assigned before': `export default service(() => Object.assign({}, other, { ${ONE}, ${TWO} }));`,
};
for (const [name, text] of Object.entries(SPREAD))
  test(`beside what is ${name}, each is reached by itself`, async () => {
    assert.equal(await envOf(text, 'one'), ['ONE', 'THREE']);
    assert.ok((await envOf(text, 'three')).includes('THREE'));
  });

/** Services of which `one` runs what `two` has in it, or what is put in its place. */
const LED: Readonly<Record<string, string>> = {
  'by the name of the object': `export default service(() => {\n  const api = { one: () => api.two(), ${TWO} };\n  return api;\n});`,
  'by a computed name': `export default service(() => {\n  const api = { one: () => api['t' + 'wo'](), ${TWO} };\n  return api;\n});`,
  'in pieces': `export default service(() => {\n  const api = { one: () => { const { two } = api; return two(); }, ${TWO} };\n  return api;\n});`,
  'written over': `export default service(() => {\n  const api = { one() {}, ${TWO} };\n  api.one = () => process.env.TWO;\n  return api;\n});`,
  'written over by a loop': `export default service(() => {\n  const api = { one() {}, ${TWO} };\n  for (api.one of [() => process.env.TWO]);\n  return api;\n});`,
  'changed by another': `const change = (a) => { a.one = () => process.env.TWO; };\nexport default service(() => {\n  const api = { one() {}, ${TWO} };\n  change(api);\n  return api;\n});`,
  'by an instance with a name': `class A { ${TWO} one() {} }\nexport default service(() => {\n  const a = new A();\n  a.one = () => a.two();\n  return a;\n});`,
  'when it is made': `export default service(() => {\n  const api = { one() {}, ${TWO} };\n  api.two();\n  return api;\n});`,
  'by what is spread': `const mixin = { one() { return this.two(); } };\nexport default service(() => ({ ...mixin, ${TWO} }));`,
  'by what is spread, of this': `const mixin = { three() { return this.two(); } };\nexport default service(() => ({ ...mixin, one() { return this.three(); }, ${TWO} }));`,
  'by what is spread behind': `const mixin = { one() { return process.env.TWO; } };\nexport default service(() => ({ one() {}, ...mixin }));`,
  'by what is assigned behind': `const mixin = { one() { return process.env.TWO; } };\nexport default service(() => Object.assign({ one() {} }, mixin));`,
  'by a getter that is read when it is assigned': `export default service(() => Object.assign({ one() {} }, { get two() { return process.env.TWO; } }));`,
  'by the other of two': `export default service(() => (Date.now() ? { one() {} } : { one: () => process.env.TWO }));`,
  'by the function that makes it': `const make = () => ({ one() { return make().two(); }, ${TWO} });\nexport default service(() => make());`,
};
for (const [name, text] of Object.entries(LED))
  test(`what a member leads to is known: ${name}`, async () => {
    assert.ok((await envOf(text, 'one')).includes('TWO'));
  });

/** Edits after which another function is `one`. */
const EDITS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'what is spread comes last': [
    'service(() => ({ ...other, one: () => 1, two: () => 2 }))',
    'service(() => ({ one: () => 1, ...other, two: () => 2 }))',
  ],
  'what is assigned comes last': [
    'service(() => Object.assign({}, other, { one: () => 1 }))',
    'service(() => Object.assign({ one: () => 1 }, other))',
  ],
  'objects that are assigned change places': [
    'service(() => Object.assign({}, { one: () => 1 }, { one: () => 2 }))',
    'service(() => Object.assign({}, { one: () => 2 }, { one: () => 1 }))',
  ],
  'two objects change places': [
    'service(() => (Date.now() ? { one: () => 1 } : { one: () => 2 }))',
    'service(() => (Date.now() ? { one: () => 2 } : { one: () => 1 }))',
  ],
  'the other object has it': [
    'service(() => (Date.now() ? { one: () => 1 } : { two: () => 2 }))',
    'service(() => (Date.now() ? { two: () => 2 } : { one: () => 1 }))',
  ],
  'one of two objects lacks it': [
    'service(() => (Date.now() ? { one: () => 1, two: () => 2 } : { one: () => 1, two: () => 2 }))',
    'service(() => (Date.now() ? { two: () => 2 } : { one: () => 1, two: () => 2 }))',
  ],
  'the condition is another': [
    'service(() => { if (Date.now()) return { one: () => 1 }; return { one: () => 2 }; })',
    'service(() => { if (!Date.now()) return { one: () => 1 }; return { one: () => 2 }; })',
  ],
};
for (const [name, edit] of Object.entries(EDITS))
  test(`who calls the member is reached: ${name}`, async () => {
    const [before, after] = await Promise.all(
      edit.map((made) =>
        graphOf({
          'services/s3.ts': service(`export default ${made};`),
          'lib/other.ts': OTHER,
          'api/a.get.ts': handler('ctx.s3.one()'),
        }),
      ),
    );
    assert.ok(before && after);
    const changed = changedUnits({ before, after }, new Set());
    const reaching = [...before.whoReaches(changed.before), ...after.whoReaches(changed.after)];
    assert.ok(reaching.includes('api/a.get.ts#default'));
  });

test('who calls another member is not', async () => {
  const made = (two: number) =>
    graphOf({
      'services/s3.ts': service(
        `export default service(() => {\n  const api = { one: () => 1, two: () => ${two} };\n  return api;\n});`,
      ),
      'lib/other.ts': OTHER,
      'api/a.get.ts': handler('ctx.s3.one()'),
      'api/b.get.ts': handler('ctx.s3.two()'),
    });
  const [before, after] = [await made(2), await made(3)];
  const { after: changed } = changedUnits({ before, after }, new Set());
  const reaching = after.whoReaches(changed);
  assert.ok(reaching.has('api/b.get.ts#default'));
  assert.not(reaching.has('api/a.get.ts#default'));
});

test.run();
