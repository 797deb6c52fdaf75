import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rejected } from '../../harness/client.js';
import { ended, fwk, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { type Project, project } from '../../harness/project.js';
import { TSCONFIG } from '../../harness/settings.js';
import { route } from '../../harness/source.js';
import { createTestApp } from '../../harness/testing.js';

const test = suite('the root of a workspace');

const app = JSON.stringify({ type: 'module', scripts: { dev: 'fwk dev' }, dependencies: { fwkit: '*' } });
const route1 = route('get', '() => 1');

const ROOTS = {
  npm: { 'package.json': JSON.stringify({ workspaces: ['apps/*'] }), 'tsconfig.json': '{}' },
  pnpm: { 'pnpm-workspace.yaml': 'catalog:\n  zod: ^4.0.0\npackages:\n  - apps/*\n' },
};

const workspace = (files: Readonly<Record<string, string>>): Project =>
  project({ ...files, 'apps/shop/package.json': app, 'apps/shop/api/one.get.js': route1 }, 'js');

for (const [name, files] of Object.entries(ROOTS))
  test(`${name}: commands and test apps ask for the folder of a package`, async () => {
    const { root } = workspace(files);
    const expected = `${root} is the root of a workspace, not a project. Pass the folder of a package, such as --dir apps/api, or "dir" to createTestApp().`;
    for (const command of ['routes', 'doctor', 'dev']) {
      const { status, stdout, stderr } = await fwk({ root }, command);
      assert.is(status, 1, command);
      assert.match(stdout + stderr, `FWK605 ${expected}`, command);
    }
    assert.match((await rejected(createTestApp({ dir: root }))).message, expected);
    assert.is((await fwk({ root }, 'routes', '--dir', 'apps/shop')).stdout, 'GET /api/one\n');
  });

test('pnpm settings alone are no workspace', async () => {
  const { status, stderr } = await fwk(
    project({ 'pnpm-workspace.yaml': 'nodeLinker: hoisted\n' }, 'js'),
    'routes',
  );
  assert.equal(
    [status, stderr],
    [0, 'There are no routes: no convention that is switched on has a file of one.\n'],
  );
});

test('a workspace root that is also a project counts as one', async () => {
  const made = workspace({ ...ROOTS.npm, 'api/two.get.js': route('get', '() => 2') });
  assert.is((await fwk(made, 'routes')).stdout, 'GET /api/two\n');
});

test('fwk doctor reports a second fwkit in a linked package, and none of another project', async () => {
  const made = workspace({
    ...ROOTS.npm,
    'node_modules/kit/package.json': '{ "name": "kit" }',
    'node_modules/kit/node_modules/fwkit/package.json': '{ "name": "fwkit", "version": "0.0.9" }',
    'node_modules/other/node_modules/fwkit/package.json': '{ "name": "fwkit", "version": "0.0.8" }',
  });
  made.write(
    'apps/shop/package.json',
    JSON.stringify({ type: 'module', dependencies: { fwkit: '*', kit: '*' } }),
  );
  const { stdout } = await fwk(made, 'doctor', '--dir', 'apps/shop');
  const found = stdout.split('\n').filter((line) => line.includes('(two-copies)'));
  assert.is(found.length, 1, stdout);
  assert.match(
    found[0] ?? '',
    'FWK620 There is a second fwkit, 0.0.9, in ../../node_modules/kit/node_modules/fwkit: ',
  );
});

test('if yarn installed without node_modules, the build names the missing package', async () => {
  const made = project({
    'tsconfig.json': TSCONFIG,
    'main.ts': `import 'no-such-package';\n`,
    // As the hook of yarn does, in each process that it starts.
    'pnp.cjs': `process.versions.pnp = '3';\n`,
  });
  const env = `NODE_OPTIONS=--require=${path.join(made.root, 'pnp.cjs')}`;
  const { status, stdout } = await ended(start('env', [env, bin('fwk'), 'build'], made.root), 'fwk build');
  assert.is(status, 1);
  assert.match(stdout, 'where TypeScript 7 finds no package. Set nodeLinker: node-modules in .yarnrc.yml.\n');
});

test.run();
