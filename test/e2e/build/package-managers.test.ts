import {
  cpSync,
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
import { ended, fwk, start } from '../../harness/fwk.js';
import { Output } from '../../harness/output.js';
import { KEPT, packageAs, tarball } from '../../harness/packages.js';
import { answerOf } from '../cli/scaffold.js';

// What fwk scaffold makes is installed, built and served by each package manager, as its users have it.

/** Longer than a command may take that downloads packages. */
const patience = 120_000;

interface Manager {
  readonly spec: string;
  readonly install: readonly string[];
  /** What makes it leave out what is for development. */
  readonly production: readonly string[];
  readonly locks: readonly string[];
}

const managers: Readonly<Record<string, Manager>> = {
  npm: {
    spec: 'npm@^11',
    install: ['install', '--prefer-offline', '--no-audit', '--no-fund'],
    production: ['--omit=dev'],
    locks: ['package-lock.json'],
  },
  pnpm: {
    spec: 'pnpm@^10',
    install: [
      'install',
      '--prefer-offline',
      '--store-dir',
      path.join(KEPT, 'pnpm'),
      '--config.cache-dir=../cache',
    ],
    production: ['--prod', '--frozen-lockfile'],
    locks: ['pnpm-lock.yaml'],
  },
};

for (const [name, { spec, install, production, locks }] of Object.entries(managers)) {
  const test = suite(name);

  test('a new project installs without a warning of fwkit, builds and serves', async () => {
    // Not below the folder of the tests: what is hoisted there would be found.
    const base = realpathSync(mkdtempSync(path.join(tmpdir(), `fwk-${name}-`)));
    atExit(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
    const [root, image] = [path.join(base, 'project'), path.join(base, 'image')];
    for (const folder of [root, image]) mkdirSync(folder);
    const program = path.join(packageAs(name, `npm:${spec}`), 'node_modules/.bin', name);
    const run = async (cwd: string, ...args: readonly string[]) => {
      const child = start(program, args, cwd);
      const output = new Output(child);
      const limit = setTimeout(() => child.kill('SIGKILL'), patience);
      const { status } = await ended(child, `${name} ${args.join(' ')}`, output);
      clearTimeout(limit);
      assert.is(status, 0, output.all);
      return output.all;
    };

    assert.is((await fwk({ root }, 'scaffold')).status, 0);
    // What they are called there is not published yet.
    const file = path.join(root, 'package.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    manifest.dependencies.fwkit = `file:${tarball()}`;
    manifest.devDependencies['@fwkit/build'] = `file:${tarball('@fwkit/build')}`;
    writeFileSync(file, JSON.stringify(manifest));
    assert.not.match(await run(root, ...install), /^.*\b(warn|warning)\b.*fwkit.*$/im);
    assert.match(await run(root, 'exec', 'fwk', 'routes'), 'GET /api/hello/:name');
    await run(root, 'run', 'build');

    // As a production image is made.
    for (const name of ['package.json', ...locks, 'dist'])
      cpSync(path.join(root, name), path.join(image, name), { recursive: true });
    await run(image, ...install, ...production);
    const bytes = sizeOf(path.join(image, 'node_modules'));
    assert.ok(bytes < 20_000_000, `${bytes} bytes`);
    assert.equal(await answerOf({ root: image }), { message: 'Hello, you!' });
  });

  test.run();
}

/** The bytes of all files below a folder; of a link, none. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(path.join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);

const test = suite('the package');

test('it has no scripts, and nothing else that only its repository needs', async () => {
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
