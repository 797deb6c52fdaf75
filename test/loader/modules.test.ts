import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { call, project } from './project.js';

test('evaluates the members of a cycle in the order of the first import, when imported at once', async () => {
  const { import: load } = project({
    'a.ts': `import './slow.js'; import { b } from './b.js'; export const a = b + 1;`,
    'b.ts': `import { a } from './a.js'; export const b = 1; export const later = () => a;`,
    'slow.ts': `await new Promise((done) => setImmediate(done));`,
  });
  const [a, b] = await Promise.all([load('a.ts'), load('b.ts')]);
  assert.is(a.a, 2);
  assert.is(call(b, 'later'), 2);
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

test('imports dynamically, with specifiers known only at run time', async () => {
  const { import: load } = project({
    'src/a.ts': `export const load = (name: string) => import(\`./\${name}.js\`); export const os = () => import('node:os');`,
    'src/b.ts': `export const b = 1;`,
  });
  const a = await load('src/a.ts');
  assert.is(await call(a, 'load', 'b'), await load('src/b.ts'));
  assert.is(await call(a, 'os'), await import('node:os'));
});

test('lists the files it loaded', async () => {
  const {
    import: load,
    loader,
    at,
  } = project({
    'a.ts': `import './b.js'; import data from './data.json'; import 'node:fs'; export const c = () => import('./c.js'); data;`,
    'b.ts': '',
    'c.ts': '',
    'data.json': '1',
  });
  const a = await load('a.ts');
  assert.equal([...loader.files.keys()].sort(), [at('a.ts'), at('b.ts'), at('data.json')]);
  await call(a, 'c');
  assert.ok([...loader.files.keys()].includes(at('c.ts')));
});

test.run();
