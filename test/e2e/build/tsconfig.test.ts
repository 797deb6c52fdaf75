import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { TSCONFIG } from '../../harness/settings.js';
import { di, module, tells } from '../../harness/source.js';

// Settings with which the compiler used to write no JavaScript, or JavaScript that production did not find.

const test = suite('tsconfig');

const withOptions = (options: object, include?: readonly string[]): string => {
  const config = JSON.parse(TSCONFIG) as { compilerOptions: object };
  return JSON.stringify({
    ...config,
    compilerOptions: { ...config.compilerOptions, ...options },
    ...(include && { include }),
  });
};

for (const options of [
  { noEmit: true },
  { emitDeclarationOnly: true, declaration: true },
  { allowImportingTsExtensions: true, noEmit: true },
  { outDir: undefined },
  { rootDir: undefined },
  { rootDir: '.' },
  { incremental: true, noEmit: true, rootDir: undefined },
])
  test(`overrides ${Object.keys(options)}`, async () => {
    const made = project({ 'tsconfig.json': withOptions(options), 'api/x.ts': tells('get', 'x') });
    const { status, stdout, stderr } = await fwk(made, 'build');
    assert.is(status, 0, stdout + stderr);
    assert.ok(made.exists('dist/api/x.js'), stdout);
    assert.not.ok(made.exists('src/api/x.js'));
    assert.match(made.read('dist/fwk.manifest.json'), 'api/x.js');
  });

test('rejects sources outside of src/, because they would move the output', async () => {
  const made = project({
    'tsconfig.json': withOptions({ rootDir: undefined }, ['src', 'scripts']),
    'scripts/seed.js': '',
    'api/x.ts': tells('get', 'x'),
  });
  const { mkdirSync, writeFileSync } = await import('node:fs');
  mkdirSync(`${made.root}/scripts`, { recursive: true });
  writeFileSync(`${made.root}/scripts/seed.ts`, 'export {};\n');
  const message =
    /FWK624 tsconfig\.json: includes scripts\/seed\.ts, which is outside src\/, .*Set "rootDir" to "src"/;
  const { status, stderr } = await fwk(made, 'build');
  assert.is(status, 1);
  assert.match(stderr, message);
  assert.match((await fwk(made, 'doctor')).stderr, message);
});

test('explains an alias in "paths"', async () => {
  const made = project({
    'tsconfig.json': withOptions({ paths: { '@/*': ['./src/*'] } }),
    'lib/rows.ts': 'export const rows = [1];\n',
    'api/x.ts': `import { rows } from '@/lib/rows.js';\n${module('get', 'export default get(() => rows);')}`,
  });
  const { status, stderr } = await fwk(made, 'build');
  assert.is(status, 1);
  assert.match(
    stderr,
    /FWK108 src\/api\/x\.ts: cannot be linked: it imports "@\/\*", which "paths" in tsconfig\.json maps to a file\./,
  );
  assert.not.match(stderr, /Add it to "dependencies"/);
});

test('a build accepts the secret if .env.example mentions it', async () => {
  const files = {
    'tsconfig.json': TSCONFIG,
    'di/cart.ts': di('session', '() => ({ n: 0 })'),
    'api/x.ts': tells('get', 'x'),
  };
  const silent = project({ ...files, '.env.example': 'SESSION_SECRET=\n' });
  const rejected = project(files);
  const build = async (made: typeof rejected) => {
    const { stdout, stderr } = await fwk(made, 'build');
    return stdout + stderr;
  };
  assert.match(await build(rejected), 'FWK206');
  assert.not.match(await build(silent), 'FWK206');
});

test.run();
