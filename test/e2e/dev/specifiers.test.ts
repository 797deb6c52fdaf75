import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

const base = {
  target: 'es2022',
  rootDir: 'src',
  outDir: 'dist',
  strict: false,
  skipLibCheck: true,
  types: ['node'],
};
const bundler = { ...base, module: 'esnext', moduleResolution: 'bundler' };

const configs: Readonly<Record<string, object>> = {
  nodenext: { ...base, module: 'nodenext' },
  'a bundler’s resolution': bundler,
  'rewritten extensions': { ...base, module: 'nodenext', rewriteRelativeImportExtensions: true },
};

const LIB: Files = {
  'lib/rows.ts': `export const rows = ['row'];\n`,
  'lib/index.ts': `export { rows } from './rows.js';\n`,
};
const importing = (specifier: string): string =>
  `import { rows } from '${specifier}';\n${route('get', '() => rows')}`;

const short = (specifier: string, right: string) =>
  `:1: cannot be linked: '${specifier}' is not a complete file name, which Node requires: write '${right}'.`;

/** By file: the specifier of its import and the message about it. */
const REFUSED: Readonly<Record<string, readonly [specifier: string, sentence: string]>> = {
  'api/short.get.ts': ['../lib/rows', short('../lib/rows', '../lib/rows.js')],
  'api/folder.get.ts': ['../lib', short('../lib', '../lib/index.js')],
  'api/slash.get.ts': ['../lib/', short('../lib/', '../lib/index.js')],
};
const SOURCE = 'api/source.get.ts';
const UNWRITTEN = `:1: cannot be linked: '../lib/rows.ts' does not exist after compilation: write '../lib/rows.js', or set rewriteRelativeImportExtensions in tsconfig.json.`;

const test = suite('specifiers');

for (const [name, compilerOptions] of Object.entries(configs))
  test(`${name}: dev and build accept and reject the same specifiers`, async () => {
    const refused: Readonly<Record<string, readonly [string, string]>> =
      name === 'rewritten extensions' ? REFUSED : { ...REFUSED, [SOURCE]: ['../lib/rows.ts', UNWRITTEN] };
    const made = project({
      ...LIB,
      'api/whole.get.ts': importing('../lib/rows.js'),
      [SOURCE]: importing('../lib/rows.ts'),
      ...Object.fromEntries(
        Object.entries(refused).map(([file, [specifier]]) => [file, importing(specifier)]),
      ),
      'tsconfig.json': JSON.stringify({ compilerOptions, include: ['src', '.fwk/**/*'] }),
    });
    const dev = await fwk(made, 'routes');
    const build = await fwk(made, 'build');
    assert.equal([dev.status, build.status], [1, 1]);
    const built = build.stdout + build.stderr;
    for (const [file, [, sentence]] of Object.entries(refused)) {
      assert.match(dev.stderr, `${made.label(file)}${sentence}`);
      // Errors of this compiler hide the errors of Node.
      if (compilerOptions !== bundler) assert.match(built, /api\/\w+/.exec(file)?.[0] ?? '');
    }
    for (const file of ['api/whole.get.ts', SOURCE].filter((one) => !(one in refused))) {
      assert.not.match(dev.stderr, made.label(file));
      assert.not.match(built, made.label(file));
    }
    for (const file of Object.keys(refused)) made.remove(file);
    assert.equal([(await fwk(made, 'routes')).status, (await fwk(made, 'build')).status], [0, 0]);
  });

test('a build suggests the right specifier if only the compiler accepts the given one', async () => {
  const made = project({
    ...LIB,
    'api/short.get.ts': importing('../lib/rows'),
    'api/folder.get.ts': importing('../lib'),
    'tsconfig.json': JSON.stringify({ compilerOptions: bundler, include: ['src', '.fwk/**/*'] }),
  });
  const { status, stderr } = await fwk(made, 'build');
  assert.is(status, 1);
  assert.match(stderr, `dist/api/short.get.js${short('../lib/rows', '../lib/rows.js').slice(0, -1)}`);
  assert.match(stderr, `dist/api/folder.get.js${short('../lib', '../lib/index.js').slice(0, -1)}`);
});

test('JavaScript specifiers resolve as in Node', async () => {
  const made = project({ ...LIB, 'lib/index.ts': '', 'api/short.get.ts': importing('../lib/rows') }, 'js');
  const { status, stderr } = await fwk(made, 'routes');
  assert.is(status, 1);
  assert.match(stderr, `api/short.get.js${short('../lib/rows', '../lib/rows.js')}`);
  const native = await ended(start(process.execPath, ['api/short.get.js'], made.root), 'node');
  assert.is(native.status, 1);
});

test('a compiler that only checks may accept what another tool resolves', async () => {
  const compilerOptions = {
    noEmit: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
  };
  const specifiers = ['../lib/rows', '../lib/rows.ts', '../lib/rows.js'];
  const routes = specifiers.map((specifier, at) => [`api/r${at}.get.ts`, importing(specifier)]);
  const tsconfig = JSON.stringify({ compilerOptions });
  const made = project({ ...LIB, ...Object.fromEntries(routes), 'tsconfig.json': tsconfig });
  const { status, stderr } = await fwk(made, 'routes');
  assert.is(status, 0, stderr);
});

test.run();
