import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { ended, fwk, start } from '../../harness/fwk.js';
import { Output } from '../../harness/output.js';
import { packageAs, tarball } from '../../harness/packages.js';
import { answerOf } from '../cli/scaffold.js';

// What fwk scaffold makes is installed, built and served by each package manager, as its users have it.

/** Longer than a command may take that downloads packages. */
const patience = 120_000;

const managers: Readonly<Record<string, { spec: string; add: readonly string[] }>> = {
  npm: { spec: 'npm@^11', add: ['install', '--cache', '.cache', '--no-audit', '--no-fund'] },
  pnpm: { spec: 'pnpm@^10', add: ['add', '--store-dir', '.cache', '--config.cache-dir=.cache'] },
};

for (const [name, { spec, add }] of Object.entries(managers)) {
  const test = suite(name);

  test('a new project installs without a warning of fwkit, builds and serves', async () => {
    // Not below the folder of the tests: what is hoisted there would be found.
    const root = realpathSync(mkdtempSync(path.join(tmpdir(), `fwk-${name}-`)));
    atExit(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
    const program = path.join(packageAs(name, `npm:${spec}`), 'node_modules/.bin', name);
    const run = async (...args: string[]) => {
      const child = start(program, args, root);
      const output = new Output(child);
      const limit = setTimeout(() => child.kill('SIGKILL'), patience);
      const { status } = await ended(child, `${name} ${args.join(' ')}`, output);
      clearTimeout(limit);
      assert.is(status, 0, output.all);
      return output.all;
    };

    assert.is((await fwk({ root }, 'scaffold')).status, 0);
    const told = await run(...add, tarball());
    assert.not.match(told, /^.*\b(warn|warning)\b.*fwkit.*$/im);
    assert.match(await run('exec', 'fwk', 'routes'), 'GET /api/hello/:name');
    await run('run', 'build');
    assert.equal(await answerOf({ root }), { message: 'Hello, you!' });
  });

  test.run();
}

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
