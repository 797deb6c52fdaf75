import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { graphOf } from './graph-of.js';
import { random } from './random.js';
import { tellingApp } from './telling-app.js';

// The graph of many modules: one answer whatever the order of files, and an end, whatever leads to what.

const test = suite('large graphs');

const COUNT = 5_000;
const SERVICE =
  "import { service } from 'fwkit';\nexport default service(() => ({ m0: () => 1, m1: () => 2 }));\n";
const many = (text: (i: number, next: number) => string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`lib/m${i}.ts`, text(i, (i + 1) % COUNT)]));
const route = (name: string) => ({
  'services/s1.ts': SERVICE,
  'services/s2.ts': SERVICE,
  'api/a.get.ts': `import { get } from 'fwkit';\nimport { ${name} } from '../lib/m0.js';\nexport default get((q, r, ctx) => ${name}(ctx));\n`,
});

test('the order of files changes nothing', async () => {
  const files = tellingApp({ routes: 60, isHiding: true }, 4);
  const names = Object.keys(files);
  const routes = names.filter((file) => file.endsWith('.get.ts'));
  const answer = async (order: readonly string[]) => {
    const graph = await graphOf(files, order);
    return routes.map((file) => {
      const { units, touched } = graph.reach([file]);
      const { blind, ...leaves } = graph.leavesOf(units);
      const places = blind.map((one) => `${one.file}:${one.line} ${one.why}`);
      return [file, ...[units, touched, ...Object.values(leaves), places].map((set) => [...set].sort())];
    });
  };
  const first = await answer(names);
  const r = random(4);
  for (let i = 0; i < 3; i++) assert.equal(await answer(r.shuffle(names)), first);
});

test('a name is found through 5,000 modules that hand on all of one another', async () => {
  const files = many(
    (i, next) => `export * from './m${next}.js';\nexport const f${i} = (c: any) => c.s${(i % 2) + 1}.m0();\n`,
  );
  const graph = await graphOf({ ...files, ...route('f0'), 'api/b.get.ts': route('f4999')['api/a.get.ts'] });
  for (const [file, key] of [
    ['api/a.get.ts', 's1'],
    ['api/b.get.ts', 's2'],
  ] as const) {
    const { touched, units } = graph.reach([file]);
    assert.equal([...touched], [key]);
    // All of them are imported, one of them is used.
    assert.is([...units].filter((unit) => unit.endsWith('#import')).length, COUNT + 2);
    assert.is([...units].filter((unit) => /#f\d+$/.test(unit)).length, 1);
  }
});

test('a barrel of 5,000 modules that import from it', async () => {
  const names = Array.from({ length: COUNT }, (_, i) => i);
  const files = {
    ...many(
      (i, next) =>
        `import { f${next} } from './index.js';\nexport const f${i} = (c: any) => [c.s1, () => f${next}(c)];\n`,
    ),
    'lib/index.ts': names.map((i) => `export * from './m${i}.js';\n`).join(''),
  };
  const graph = await graphOf({ ...files, ...route('f0') });
  const { touched, units } = graph.reach(['api/a.get.ts']);
  assert.equal([...touched], ['s1']);
  assert.is([...units].filter((unit) => /#f\d+$/.test(unit)).length, COUNT);
  assert.ok(graph.whoReaches(['lib/m4999.ts#f4999']).has('api/a.get.ts#default'));
});

test('ctx is handed on through 5,000 modules, in a circle', async () => {
  const files = many((i, next) => {
    const last = i === COUNT - 1 ? 'c.s2.m1()' : '0';
    return `import { f${next} } from './m${next}.js';\nexport function f${i}(c: any) { return ${last} || f${next}(c); }\n`;
  });
  const graph = await graphOf({ ...files, ...route('f0') });
  const { touched, units } = graph.reach(['api/a.get.ts']);
  assert.equal([...touched], ['s2']);
  assert.ok(units.has('services/s2.ts#default.m1'));
  assert.not(units.has('services/s2.ts#default.m0'));
});

test.run();
