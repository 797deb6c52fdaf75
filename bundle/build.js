// Builds what changed since the last build. With `--tests`, compiles the tests, too.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The digests of the sources that `dist/` was built from. */
const RECORD = 'dist/built.json';
const OUTPUTS = ['node_modules', 'dist', '.fwk'];
const PRODUCT = [
  ...JSON.parse(readFileSync('tsconfig.build.json', 'utf8')).include,
  'bundle',
  'docs',
  'packages',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];

const built = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {};
const product = digest(PRODUCT);
const isProductBuilt =
  built.product === product && readdirSync('packages').every((name) => hasOutput(join('packages', name)));
const tests = process.argv.includes('--tests') ? digest(['test', ...PRODUCT]) : undefined;

// The project of the tests includes the product's modules, too.
if (tests !== undefined && built.tests !== tests) run('node_modules/typescript/bin/tsc');
else if (!isProductBuilt) run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
if (!isProductBuilt) {
  run('bundle/index.js');
  run('bundle/packages.js');
}
writeFileSync(RECORD, JSON.stringify({ product, tests: tests ?? built.tests }));

function run(...args) {
  // The compiler is written in Go and ends before its garbage matters.
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '2GiB' };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}

function hasOutput(folder) {
  return !existsSync(join(folder, 'tsconfig.json')) || existsSync(join(folder, 'dist'));
}

/** Changes when one of the files, or of the files below the folders, changes. */
function digest(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths.flatMap(filesBelow)) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => !OUTPUTS.includes(name))
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}
