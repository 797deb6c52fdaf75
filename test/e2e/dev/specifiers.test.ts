import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { build } from '../../harness/settings.js';
import { route } from '../../harness/source.js';

// What a module may import by a relative path is the same from the sources and from what they are compiled to.

const base = {
  target: 'es2022',
  rootDir: 'src',
  outDir: 'dist',
  strict: false,
  skipLibCheck: true,
  types: ['node'],
};

const configs: Readonly<Record<string, object>> = {
  nodenext: { ...base, module: 'nodenext' },
  'a bundler’s resolution': { ...base, module: 'esnext', moduleResolution: 'bundler' },
  'rewritten extensions': { ...base, module: 'nodenext', rewriteRelativeImportExtensions: true },
};

const short = (specifier: string, right: string) =>
  `src/api/rows.get.ts:1: cannot be linked: '${specifier}' is not the whole name of a file, and Node finds none by less: write '${right}'.`;

/** By specifier, what is said of it; nothing where it leads to a file. */
const specifiers = (name: string): Readonly<Record<string, string | undefined>> => ({
  '../lib/rows.js': undefined,
  '../lib/rows': short('../lib/rows', '../lib/rows.js'),
  '../lib': short('../lib', '../lib/index.js'),
  '../lib/': short('../lib/', '../lib/index.js'),
  '../lib/rows.ts':
    name === 'rewritten extensions'
      ? undefined
      : `src/api/rows.get.ts:1: cannot be linked: '../lib/rows.ts' is not there once it is compiled: write '../lib/rows.js', or set rewriteRelativeImportExtensions in tsconfig.json.`,
});

const files = (specifier: string): Files => ({
  'lib/rows.ts': `export const rows = ['row'];\n`,
  'lib/index.ts': `export { rows } from './rows.js';\n`,
  'api/rows.get.ts': `import { rows } from '${specifier}';\n${route('get', '() => rows')}`,
});

for (const [name, compilerOptions] of Object.entries(configs)) {
  const test = suite(name);
  for (const [specifier, sentence] of Object.entries(specifiers(name)))
    test(`${specifier} is ${sentence ? 'refused' : 'taken'} by dev and build alike`, async () => {
      const made = project({
        ...files(specifier),
        'tsconfig.json': JSON.stringify({ compilerOptions, include: ['src', '.fwk/**/*'] }),
      });
      const sources = await fwk(made, 'routes');
      const built = await build(made).catch((cause: Error) => cause);
      assert.is(built instanceof Error, sentence !== undefined, String(built));
      assert.is(sources.status, sentence === undefined ? 0 : 1, sources.stderr);
      if (sentence !== undefined) assert.match(sources.stderr, sentence);
    });
  test.run();
}

const others = suite('beside them');

others('a build says what to write where the compiler takes what Node does not', async () => {
  for (const [specifier, right] of [
    ['../lib/rows', '../lib/rows.js'],
    ['../lib', '../lib/index.js'],
  ] as const) {
    const made = project({
      ...files(specifier),
      'tsconfig.json': JSON.stringify({
        compilerOptions: configs['a bundler’s resolution'],
        include: ['src', '.fwk/**/*'],
      }),
    });
    const { status, stderr } = await fwk(made, 'build');
    assert.is(status, 1);
    assert.match(stderr, /dist\/api\/rows\.get\.js:1: cannot be linked: /);
    assert.match(stderr, `'${specifier}' is not the whole name of a file`);
    assert.match(stderr, `write '${right}'`);
  }
});

others('JavaScript imports as Node does', async () => {
  const texts = files('../lib/rows');
  const made = project({ ...texts, 'lib/index.ts': `export { rows } from './rows';\n` }, 'js');
  const { status, stderr } = await fwk(made, 'routes');
  assert.is(status, 1);
  assert.match(stderr, `api/rows.get.js:1: cannot be linked: '../lib/rows' is not the whole name of a file`);
  const native = await ended(start(process.execPath, ['api/rows.get.js'], made.root), 'node');
  assert.is(native.status, 1);
});

others('a compiler that only checks may take what another tool resolves', async () => {
  const compilerOptions = {
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
  };
  for (const specifier of ['../lib/rows', '../lib/rows.ts', '../lib/rows.js']) {
    const made = project({ ...files(specifier), 'tsconfig.json': JSON.stringify({ compilerOptions }) });
    const { status, stderr } = await fwk(made, 'routes');
    assert.is(status, 0, stderr);
  }
});

others.run();
