import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { type Ended, ended, fwk, start } from '../../harness/fwk.js';
import { bin, installed } from '../../harness/installed.js';
import { listing } from '../../harness/listing.js';
import { flags, folder } from './scaffold.js';

// npm create fwkit, without installing anything: create-installed.test.ts has all of it.

const test = suite('create-fwkit');

/** A folder to create projects in. */
function place(): string {
  const parent = path.join(installed(), 'projects');
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(path.join(parent, 'create-'));
  atExit(() => rmSync(made, { recursive: true, force: true, maxRetries: 3 }));
  return made;
}

const create = (cwd: string, ...args: string[]): Promise<Ended> =>
  ended(start(bin('create-fwkit'), [...args, '--no-install'], cwd), 'create-fwkit');

const manifestIn = (root: string) => JSON.parse(listing({ root })['package.json'] ?? '');

for (const layout of ['ts', 'js'] as const)
  test(`${layout}: the files equal those of fwk scaffold`, async () => {
    const cwd = place();
    const { status, stdout, stderr } = await create(cwd, ...(layout === 'js' ? ['app', '--js'] : []));
    assert.equal([status, stderr], [0, '']);
    const name = layout === 'js' ? 'app' : 'my-app';
    const other = folder({}, layout);
    await fwk(other, ...flags(layout));
    const expected = listing(other);
    const made = listing({ root: path.join(cwd, name) });
    assert.equal(manifestIn(path.join(cwd, name)), { ...manifestIn(other.root), name });
    for (const files of [made, expected]) Object.assign(files, { 'package.json': '', 'README.md': '' });
    assert.equal(made, expected);
    assert.match(stdout, `\nNext:\n  cd ${name}\n  npm install\n  npm run dev `);
  });

test('--name sets the name in package.json, and --git creates a repository', async () => {
  const cwd = place();
  const { stdout } = await create(cwd, 'Some Folder', '--name', '@shop/front', '--git');
  const root = path.join(cwd, 'Some Folder');
  assert.is(manifestIn(root).name, '@shop/front');
  assert.is(manifestIn(root).private, true);
  assert.ok(existsSync(path.join(root, '.git')));
  assert.match(stdout, '  cd "Some Folder"\n');
});

test('keeps files that the folder already has', async () => {
  const made = folder({ 'main.ts': '// mine\n', 'package.json': '{ "name": "mine" }' }, 'ts');
  const { status, stdout } = await create(made.root, '.', '--name', 'other');
  assert.is(status, 0);
  assert.not.match(stdout, 'cd ');
  assert.is(made.read('main.ts'), '// mine\n');
  assert.is(manifestIn(made.root).name, 'mine');
  assert.ok(made.exists('api/hello/[name].get.ts'));
});

test('reports mistakes, including those that fwk scaffold rejects, in one sentence', async () => {
  for (const [args, cwd, message] of [
    [['x', '--nope'], place(), "Unknown option '--nope'"],
    [['x', 'y'], place(), 'Pass one folder, not "x" and "y".'],
    // Not even root may make a folder there.
    [['/sys/fwk-create/app'], place(), "mkdir '/sys/fwk-create"],
  ] as const) {
    const before = listing({ root: cwd });
    const { status, stdout, stderr } = await create(cwd, ...args);
    assert.equal([status, stdout], [1, '']);
    assert.match(stderr, message);
    assert.not.match(stderr, /^\s+at /m);
    assert.equal(listing({ root: cwd }), before);
  }
});

test('--help and --version create nothing', async () => {
  const cwd = place();
  assert.match((await create(cwd, '--help')).stdout, /^Usage: npm create fwkit/);
  assert.match((await create(cwd, '-v', 'x')).stdout, /^\d+\.\d+\.\d+\n$/);
  assert.equal(readdirSync(cwd), []);
});

test.run();
