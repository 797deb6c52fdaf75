import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { type Ended, ended, fwk, start } from '../../harness/fwk.js';
import { bin, installed, repo } from '../../harness/installed.js';
import { listing } from '../../harness/listing.js';
import { Output } from '../../harness/output.js';
import { flags, folder } from './scaffold.js';

// npm create fwkit: what it makes, what it refuses, and that what it refuses leaves nothing behind.

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
  ended(start(bin('create-fwkit'), args, cwd), 'create-fwkit');

async function refused(cwd: string, ...args: string[]): Promise<string> {
  const before = listing({ root: cwd });
  const { status, stdout, stderr } = await create(cwd, ...args);
  assert.equal([status, stdout], [1, '']);
  assert.equal(listing({ root: cwd }), before);
  assert.is(stderr.trim().split('\n').length, 1, stderr);
  return stderr;
}

for (const layout of ['ts', 'js'] as const)
  test(`${layout}: the files are those of fwk scaffold`, async () => {
    const cwd = place();
    const more = layout === 'js' ? ['--js'] : [];
    const { status, stdout, stderr } = await create(cwd, 'my-app', '--no-install', ...more);
    assert.equal([status, stderr], [0, '']);
    const made = listing({ root: path.join(cwd, 'my-app') });
    const other = folder({}, layout);
    await fwk(other, ...flags(layout));
    const expected = listing(other);
    assert.equal(Object.keys(made), Object.keys(expected));
    const manifest = (files: Readonly<Record<string, string>>) => JSON.parse(files['package.json'] ?? '');
    assert.equal(manifest(made), { ...manifest(expected), name: 'my-app' });
    assert.equal(
      { ...made, 'package.json': '', 'README.md': '' },
      { ...expected, 'package.json': '', 'README.md': '' },
    );
    assert.match(stdout, /Next:\n {2}cd my-app\n {2}npm install\n {2}npm run dev /);
  });

test('it asks in the words of the package manager that runs it', async () => {
  for (const [agent, install, dev] of [
    ['pnpm/10.1.0 npm/? node/v22.1.0 linux x64', 'pnpm install', 'pnpm dev'],
    ['yarn/1.22.22 npm/? node/v22.1.0 linux x64', 'yarn install', 'yarn dev'],
    ['bun/1.3.0 npm/? node/v22.1.0 linux x64', 'bun install', 'bun run dev'],
    ['constructor/1', 'npm install', 'npm run dev'],
  ] as const) {
    const args = [`npm_config_user_agent=${agent}`, bin('create-fwkit'), 'x', '--no-install'];
    const { stdout } = await ended(start('/usr/bin/env', args, place()), 'create-fwkit');
    assert.match(stdout, new RegExp(`\n  ${install}\n  ${dev} `));
  }
});

test('the name is that of the folder, of a scope, or another', async () => {
  const cwd = place();
  for (const [args, where, name] of [
    [['a/b/deep'], 'a/b/deep', 'deep'],
    [['@shop/front'], 'front', '@shop/front'],
    [['Some Folder', '--name', 'other'], 'Some Folder', 'other'],
    [['--name', 'alone'], 'alone', 'alone'],
    [['--yes'], 'my-app', 'my-app'],
  ] as const) {
    const { status, stderr } = await create(cwd, ...args, '--no-install');
    assert.equal([status, stderr], [0, ''], args.join(' '));
    assert.is(JSON.parse(listing({ root: path.join(cwd, where) })['package.json'] ?? '').name, name);
  }
});

test('an empty folder is filled, a fresh clone too, and npm names it', async () => {
  const cwd = path.join(place(), 'My Shop');
  mkdirSync(path.join(cwd, '.git'), { recursive: true });
  const { status, stdout } = await create(cwd, '.', '--no-install');
  assert.is(status, 0);
  assert.is(JSON.parse(listing({ root: cwd })['package.json'] ?? '').name, 'my-shop');
  assert.not.match(stdout, 'cd ');
});

test('git is asked by flag only', async () => {
  const cwd = place();
  await create(cwd, 'without', '--no-install');
  await create(cwd, 'with', '--no-install', '--git');
  assert.not.ok(readdirSync(path.join(cwd, 'without')).includes('.git'));
  assert.ok(statSync(path.join(cwd, 'with/.git')).isDirectory());
});

test('what is in the way is told in a sentence, and stays as it is', async () => {
  const cwd = place();
  const other = folder({ 'mine.txt': 'mine', 'b.txt': '' }, 'ts');
  const full = path.relative(cwd, other.root);
  assert.match(
    await refused(cwd, full),
    'is not empty: it has b.txt and 1 more. Choose another name, or complete what is there: cd ',
  );
  assert.equal(listing(other), { 'b.txt': '', 'mine.txt': 'mine' });
  assert.match(await refused(other.root, 'mine.txt'), '"mine.txt" is there already and is not a folder.');
  assert.match(await refused(other.root, 'mine.txt/x'), '"mine.txt/x" cannot be made: ');
  symlinkSync('loop', path.join(cwd, 'loop'));
  assert.match(await refused(cwd, 'loop'), '"loop" ');
});

test('names that no package can have are refused, with one that it can', async () => {
  const cwd = place();
  for (const [name, sentence] of [
    ['My App', '"My App" cannot be the name of a package'],
    ['My App', 'such as "my-app", or give another with --name.'],
    ['.hidden', 'such as "hidden"'],
    ['ünï', 'cannot be the name'],
    ['x'.repeat(215), 'at most 214'],
    ['fwkit', 'A project cannot be named "fwkit"'],
    ['node_modules', 'A project cannot be named "node_modules"'],
  ] as const)
    assert.match(await refused(cwd, name), sentence);
  assert.match(await refused(cwd, 'fine', '--name', 'Not Fine'), '"Not Fine" cannot be');
});

test('an empty name is no folder, and one that a shell takes for something else is no name', async () => {
  const cwd = place();
  for (const name of ['', ' ']) assert.match(await refused(cwd, name), 'The name of the project is empty.');
  for (const name of ['-', '~me', '@-a/b'])
    assert.match(await refused(cwd, name), 'cannot be the name of a package');
});

test('mistakes in flags are told', async () => {
  const cwd = place();
  for (const [args, sentence] of [
    [['x', '--nope'], 'There is no flag "--nope".'],
    [['x', '--no-name'], 'There is no flag "--no-name".'],
    [['x', '--__proto__'], 'There is no flag "--__proto__".'],
    [['x', '--name'], '--name needs a value'],
    [['x', '--js=yes'], '--js takes no value, not "yes".'],
    [['x', 'y'], 'One folder is made at a time, not "x" and "y".'],
    [[], 'Give the name of the project: npm create fwkit my-app.'],
  ] as const)
    assert.match(await refused(cwd, ...args), sentence);
});

test('no rights to write, in a sentence', async () => {
  // Not even root may make a folder there.
  const { status, stderr } = await create('/', '/sys/fwk-create/app');
  assert.is(status, 1);
  assert.match(
    stderr,
    /^"\/sys\/fwk-create\/app" cannot be made: E\w+: .*Choose a folder that you may write to\.\n$/,
  );
});

/** Runs create-fwkit where `fwk scaffold` runs this code first. */
function createAfter(code: string, cwd: string, ...args: string[]) {
  const file = path.join(place(), 'before.mjs');
  writeFileSync(file, `if (process.argv[2] === 'scaffold') {\n${code}\n}\n`);
  const all = [`NODE_OPTIONS=--import=${file}`, bin('create-fwkit'), ...args, '--no-install'];
  return start('/usr/bin/env', all, cwd);
}

test('where fwk scaffold fails, nothing is left', async () => {
  for (const folder of ['a/b', '.']) {
    const cwd = place();
    const child = createAfter(`console.error('no room'); process.exit(1);`, cwd, folder);
    const { status, stderr } = await ended(child, 'create-fwkit');
    assert.equal([status, stderr], [1, `"${folder}" was not made: no room\n`]);
    assert.equal(readdirSync(cwd), []);
  }
});

test('SIGTERM while it works leaves nothing', async () => {
  const cwd = place();
  const watcher = watch(cwd);
  const appears = once(watcher, 'change');
  const child = createAfter('await new Promise(() => setInterval(() => {}, 1000));', cwd, 'app');
  const end = ended(child, 'create-fwkit');
  await appears;
  watcher.close();
  child.kill('SIGTERM');
  const { status, stderr } = await end;
  assert.equal([status, stderr], [1, 'Stopped by SIGTERM: nothing was made.\n']);
  assert.equal(readdirSync(cwd), []);
});

test('--help and --version make nothing', async () => {
  const cwd = place();
  assert.match((await create(cwd, '--help')).stdout, /^Usage: npm create fwkit/);
  assert.match((await create(cwd, '-v', 'x')).stdout, /^\d+\.\d+\.\d+\n$/);
  assert.equal(readdirSync(cwd), []);
});

test('on a terminal it asks for the name, once, and again where it will not do', async () => {
  const cwd = place();
  const child = start('script', ['-qec', `${bin('create-fwkit')} --no-install`, '/dev/null'], cwd, 'pipe');
  const output = new Output(child);
  const end = ended(child, 'create-fwkit', output);
  try {
    await output.waitFor(/Name of the project \(my-app\): /);
    child.stdin?.write('Not Good\n');
    await output.waitFor(/"Not Good" cannot be[\s\S]*Name of the project/);
    child.stdin?.write('good\n');
    await output.waitFor(/good is there/);
    child.stdin?.end();
    assert.is((await end).status, 0);
    assert.equal(readdirSync(cwd), ['good']);
  } finally {
    child.kill('SIGKILL');
  }
});

test('without fwkit beside it, it says so', async () => {
  const cwd = place();
  const alone = mkdtempSync(path.join(tmpdir(), 'create-alone-'));
  atExit(() => rmSync(alone, { recursive: true, force: true }));
  cpSync(path.join(repo, 'packages/create-fwkit'), alone, { recursive: true });
  const program = path.join(alone, 'create-fwkit.js');
  const { status, stderr } = await ended(start('node', [program, 'my-app', '--no-install'], cwd), program);
  assert.equal([status, listing({ root: cwd })], [1, {}]);
  assert.is(
    stderr,
    'fwkit is not installed beside create-fwkit, as it is by npm create fwkit. Run that again, or install both.\n',
  );
});

test.run();
