import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { positionOf } from '../../loader/index.js';
import { reportWaiting } from '../../loader/stalled.js';
import { moduleError, project } from './project.js';

test('reports where a text does not parse', async () => {
  const {
    import: load,
    at,
    root,
  } = project({
    'a.ts': `const é = '😀';\nconst y = 'é😀' + = 2;\n`,
    'b.ts': `import './a.js';`,
  });
  const error = await moduleError(load('b.ts'));
  assert.equal(
    [error.code, error.message, error.file],
    ['ERR_MODULE_SYNTAX', 'Unexpected token', at('a.ts')],
  );
  assert.equal([error.line, error.column], [2, 19]);
  assert.is(error.excerpt, `1 | const é = '😀';\n2 | const y = 'é😀' + = 2;\n  |                   ^`);
  assert.equal(positionOf(error, root), { file: at('a.ts'), line: 2, column: 19 });
});

test('reports where a text does not parse if only V8 notices', async () => {
  const { import: load } = project({
    'a.ts': `interface Long {\n  a: 1;\n}\n@sealed\nclass A {}\nexport { A };`,
  });
  const error = await moduleError(load('a.ts'));
  assert.equal([error.code, error.line, error.column], ['ERR_MODULE_SYNTAX', 4, 1]);
  const first = project({ 'a.ts': `@sealed class A {} export { A };` });
  assert.is((await moduleError(first.import('a.ts'))).line, 1);
});

test('reports where a CommonJS module does not parse, not the module that imports it', async () => {
  const { import: load, at } = project({
    'a.ts': `import './b.cjs';`,
    'b.cjs': '\n\nmodule.exports = { a: if };',
  });
  const error = await moduleError(load('a.ts'));
  assert.equal(
    [error.code, error.file, error.line, error.column, error.message],
    ['ERR_MODULE_SYNTAX', at('b.cjs'), 3, 23, `Unexpected token 'if'`],
  );
});

test('reports where JSON does not parse', async () => {
  const { import: load, at } = project({
    'a.ts': `import a from './a.json'; a;`,
    'a.json': '{\n  "a": 1 2\n}',
  });
  const error = await moduleError(load('a.ts'));
  assert.equal(
    [error.code, error.file, error.line, error.column],
    ['ERR_MODULE_SYNTAX', at('a.json'), 2, 10],
  );
});

test('reports where tsconfig.json does not parse', async () => {
  const { import: load, at } = project({ 'a.ts': '', 'tsconfig.json': '{\n  // paths\n  "a": "b" "c"\n}' });
  const error = await moduleError(load('a.ts'));
  assert.equal([error.code, error.file, error.line], ['ERR_MODULE_SYNTAX', at('tsconfig.json'), 3]);
});

test('reports an invalid setting in tsconfig.json', async () => {
  const wrong: readonly (readonly [options: unknown, message: string])[] = [
    [
      { paths: { '@/*': './src/*' } },
      '"compilerOptions.paths" is not an object with a list of strings for each pattern',
    ],
    [{ outDir: 5 }, '"compilerOptions.outDir" is not a string'],
    [{ strict: 'yes' }, '"compilerOptions.strict" is not true or false'],
    ['es2022', '"compilerOptions" is not an object'],
  ];
  for (const [compilerOptions, message] of wrong) {
    const text = JSON.stringify({ compilerOptions });
    const { import: load, at } = project({ 'a.ts': '', 'tsconfig.json': text });
    const error = await moduleError(load('a.ts'));
    assert.equal(
      [error.code, error.file, error.message],
      ['ERR_MODULE_SYNTAX', at('tsconfig.json'), message],
    );
  }
});

test('treats null in tsconfig.json as unset, as the compiler does', async () => {
  const { import: load } = project({
    'a.ts': `import { b } from '@/b.js'; export const a = b;`,
    'b.ts': 'export const b = 1;',
    'tsconfig.json':
      '{ "compilerOptions": { "baseUrl": null, "outDir": null, "paths": { "@/*": ["./*"] } } }',
  });
  assert.is((await load('a.ts')).a, 1);
});

test('reports a tsconfig.json that extends itself', async () => {
  const { import: load, at } = project({
    'a.ts': '',
    'tsconfig.json': '{ "extends": "./base.json" }',
    'base.json': '{ "extends": "./tsconfig.json" }',
  });
  const error = await moduleError(load('a.ts'));
  assert.equal(
    [error.code, error.file, error.message],
    ['ERR_MODULE_SYNTAX', at('base.json'), 'it extends itself: tsconfig.json → base.json → tsconfig.json'],
  );
});

test('names the re-export and the line of a missing name behind it', async () => {
  const reexports: readonly string[] = [
    `export { there } from './x.js';\nexport {\n  gone,\n} from './x.js';`,
    `export { there } from './x.js';\n\nexport { gone as\ngone } from './x.js';`,
    `import { there } from './x.js';\n\n\nimport { gone } from './x.js'; export { gone, there };`,
  ];
  for (const text of reexports) {
    const { import: load, at } = project({
      'a.ts': `import { gone } from './b.js';\ngone;`,
      'b.ts': `export * from './c.js';`,
      'c.ts': text,
      'x.ts': 'export const there = 1;',
    });
    const error = await moduleError(load('a.ts'));
    assert.equal([error.code, error.file, error.line], ['ERR_MODULE_EXPORT', at('c.ts'), 4]);
    assert.is(error.message, `The requested module './x.js' does not provide an export named 'gone'`);
  }
});

test('names the importer and the line of a missing file', async () => {
  const { import: load, at } = project({
    'a.ts': `import './b.js';`,
    'b.ts': `// from nowhere\nimport {\n  x,\n} from './none.js';\nx;`,
  });
  const error = await moduleError(load('a.ts'));
  assert.equal(
    [error.code, error.file, error.line, error.column],
    ['ERR_MODULE_NOT_FOUND', at('b.ts'), 4, 8],
  );
  assert.is(error.message, `Cannot find module './none.js' imported from ${at('b.ts')}`);
});

test('reports that the imported file itself is missing', async () => {
  const { import: load, at } = project({});
  const error = await moduleError(load('none.ts'));
  assert.equal([error.code, error.file], ['ERR_MODULE_NOT_FOUND', at('none.ts')]);
});

test('a module that computes is not reported as one that waits', () => {
  const { setInterval } = globalThis;
  const { write } = process.stderr;
  const lines: unknown[] = [];
  let look = () => {};
  globalThis.setInterval = ((run: () => void) => {
    look = run;
    return setInterval(() => {}, 1_000);
  }) as typeof setInterval;
  process.stderr.write = (line: unknown) => lines.push(line) > 0;
  const stop = reportWaiting(() => ['a.ts: waits in a top-level await']);
  try {
    look();
    for (const { user } = process.cpuUsage(); process.cpuUsage().user - user < 60_000; );
    look();
    assert.equal(lines, []);
    look();
    assert.match(String(lines), 'FWK110 a.ts: waits in a top-level await for more than 2 seconds.');
  } finally {
    stop();
    Object.assign(globalThis, { setInterval });
    process.stderr.write = write;
  }
});

test.run();
