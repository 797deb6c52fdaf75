import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { followed } from '../../harness/dockerfile.js';
import { ended, fwk, start } from '../../harness/fwk.js';
import { Output } from '../../harness/output.js';
import { KEPT, packageAs, tarball } from '../../harness/packages.js';
import { answerOf } from '../cli/scaffold.js';

// Each package manager installs, builds and serves the project that `fwk scaffold` writes.

/** Longer than a command may take that downloads packages. */
const patience = 120_000;

interface Manager {
  readonly spec: string;
  /** The arguments that create only the lockfile. */
  readonly lock: readonly string[];
  /** Settings by environment, relative to the folder of the test. */
  readonly env: (base: string) => Readonly<Record<string, string>>;
}

const managers: Readonly<Record<string, Manager>> = {
  npm: {
    spec: 'npm@^11',
    lock: ['install', '--package-lock-only'],
    env: () => ({ npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' }),
  },
  pnpm: {
    spec: 'pnpm@^10',
    lock: ['install', '--lockfile-only'],
    env: (base) => ({
      npm_config_store_dir: path.join(KEPT, 'pnpm'),
      npm_config_prefer_offline: 'true',
      npm_config_cache_dir: path.join(base, 'cache'),
    }),
  },
};

for (const [name, { spec, lock, env: settings }] of Object.entries(managers)) {
  const test = suite(name);

  test('the image of a new project installs without warnings, builds, has less than 20 MB of packages, and serves', async () => {
    // Outside the folder of the tests, whose hoisted packages would be found.
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), `fwk-${name}-`)));
    atExit(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
    const root = path.join(base, 'project');
    mkdirSync(root);
    const bin = path.join(packageAs(name, `npm:${spec}`), 'node_modules/.bin');
    const run = async (cwd: string, command: string, env: Readonly<Record<string, string>> = {}) => {
      const all = { ...settings(base), ...env, PATH: `${bin}:${process.env.PATH}` };
      const pairs = Object.entries(all).map(([key, value]) => `${key}=${value}`);
      const child = start('env', [...pairs, 'sh', '-c', command], cwd);
      const output = new Output(child);
      const limit = setTimeout(() => child.kill('SIGKILL'), patience);
      const { status } = await ended(child, command, output);
      clearTimeout(limit);
      assert.is(status, 0, output.all);
      return output.all;
    };

    assert.is((await fwk({ root }, 'scaffold')).status, 0);
    // These versions are not published yet.
    const file = path.join(root, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    manifest.dependencies.fwkit = `file:${tarball()}`;
    manifest.devDependencies['@fwkit/build'] = `file:${tarball('@fwkit/build')}`;
    writeFileSync(file, JSON.stringify(manifest));
    await run(root, [name, ...lock].join(' '));
    assert.is((await fwk({ root }, 'build', '--docker')).status, 0);

    const commands: string[] = [];
    const image = await followed(root, async (command, folder, env) => {
      commands.push(command);
      // It would be for all of this machine.
      if (command === 'npm install --global pnpm@10') return;
      // `npm ci` refuses a lockfile from a registry that lacks the packages of other platforms, as some mirrors do.
      const told = await run(folder, command.replace(/^npm ci/, 'npm install'), env);
      assert.not.match(told, /^.*\b(warn|warning)\b.*fwkit.*$/im);
      if (command.startsWith(`${name} run build`)) await run(folder, 'node_modules/.bin/fwk routes');
    });
    assert.is(commands.filter((command) => command.startsWith(name)).length, 3, commands.join('\n'));
    const bytes = sizeOf(path.join(image.folder, 'node_modules'));
    assert.ok(bytes < 20_000_000, `${bytes} bytes`);
    assert.equal(readdirSync(image.folder).sort(), IN_IMAGE(lockfileOf(name)));
    assert.equal([image.user, image.env], ['node', { NODE_ENV: 'production' }]);
    assert.equal(image.command, ['node', 'dist/main.js']);
    assert.equal(await answerOf({ root: image.folder }), { message: 'Hello, you!' });
  });

  test.run();
}

const lockfileOf = (name: string) => (name === 'npm' ? 'package-lock.json' : 'pnpm-lock.yaml');
const IN_IMAGE = (lockfile: string): string[] =>
  [
    ...[
      '.gitignore',
      'README.md',
      'dist',
      'node_modules',
      'package.json',
      'public',
      'tsconfig.json',
      'views',
    ],
    lockfile,
  ].sort();

/** The size in bytes of all files below a folder, without links. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(path.join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);

const test = suite('the package');

test('the published package.json has no scripts and nothing that only the repository needs', async () => {
  const unpacked = await ended(
    start('tar', ['-xzOf', tarball(), 'package/package.json'], path.dirname(tarball())),
    'tar',
  );
  const manifest = JSON.parse(unpacked.stdout) as Record<string, unknown>;
  for (const key of ['scripts', 'devDependencies', 'workspaces', 'private'])
    assert.is(manifest[key], undefined, key);
  const own = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
  for (const key of ['name', 'version', 'exports', 'bin', 'dependencies', 'engines'])
    assert.equal(manifest[key], own[key], key);
});

test.run();
