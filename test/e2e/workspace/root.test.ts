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

// The root of a workspace is no project: what is meant is one of its packages.

const test = suite('the root of a workspace');

const app = JSON.stringify({ type: 'module', scripts: { dev: 'fwk dev' }, dependencies: { fwkit: '*' } });
const built = JSON.stringify({ type: 'module', devDependencies: { '@fwkit/build': '*' } });
const route1 = route('get', '() => 1');

/** Apps of both layouts and a library below one root, at which `files` say that it is a workspace. */
const workspace = (files: Readonly<Record<string, string>>): Project =>
  project(
    {
      ...files,
      'apps/shop/package.json': app,
      'apps/shop/api/one.get.js': route1,
      'apps/team/admin/package.json': built,
      'apps/front/package.json': JSON.stringify({ dependencies: { fwkit: '*' } }),
      'apps/front/src/main.ts': '',
      'apps/team/admin/src/api/one.get.js': route1,
      'packages/words/package.json': '{}',
      'packages/left/package.json': app,
      'packages/left/api/one.get.js': route1,
    },
    'js',
  );

const ROOTS = {
  npm: { 'package.json': JSON.stringify({ workspaces: ['apps/**', './packages/w*'] }) },
  bun: {
    'package.json': JSON.stringify({ workspaces: ['{apps,none}/sho[pq]', 'apps/+(team|x)/{admin,b}'] }),
  },
  yarn: { 'package.json': JSON.stringify({ workspaces: { packages: ['apps/shop', 'apps/*/admin/'] } }) },
  pnpm: {
    'pnpm-workspace.yaml': `catalog:\n  zod: ^4.0.0\npackages:\n  # ours\n  - 'apps/**'\n  - "packages/*"\n  - '!packages/left'\nnodeLinker: hoisted\n`,
  },
};

for (const [name, files] of Object.entries(ROOTS))
  test(`of ${name}: commands and test apps name the projects`, async () => {
    const { root } = workspace(files);
    const expected = `FWK605 ${root} is the root of a workspace, and no project. Give the folder of one, apps/shop, apps/team/admin, as --dir, or as "dir" of createTestApp().`;
    for (const command of ['routes', 'types', 'doctor', 'dev']) {
      const { status, stdout, stderr } = await fwk({ root }, command);
      assert.is(status, 1, command);
      assert.match(stdout + stderr, expected, command);
    }
    const { message } = await rejected(createTestApp({ dir: root }));
    assert.match(message, expected.replace('FWK605 ', ''));
    assert.is((await fwk({ root }, 'routes', '--dir', 'apps/shop')).stdout, 'GET /api/one\n');
  });

test('a root that is a project, too, is one', async () => {
  const made = workspace({ ...ROOTS.npm, 'api/two.get.js': route('get', '() => 2') });
  assert.is((await fwk(made, 'routes')).stdout, 'GET /api/two\n');
});

test('fwk doctor finds a fwkit that a linked package of the project has to itself, and none of another project', async () => {
  const made = workspace({
    ...ROOTS.npm,
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

test('where yarn has installed without node_modules, the build says what its compiler lacks', async () => {
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

test('an image of a project is described by the lockfile of the root, with what it depends on built before it', async () => {
  const needs = (name: string, ...names: string[]) =>
    JSON.stringify({
      name,
      scripts: { build: 'tsc' },
      dependencies: Object.fromEntries(names.map((one) => [one, '*'])),
    });
  const made = workspace({
    ...ROOTS.npm,
    'package-lock.json': '{}',
    'packages/worn/package.json': needs('worn', 'words'),
    'packages/wide/package.json': needs('wide'),
  });
  made.write('packages/words/package.json', needs('words'));
  made.write('apps/shop/package.json', needs('shop', 'worn'));
  made.write('apps/shop/tsconfig.json', '{}');
  const { status, stdout, stderr } = await fwk(made, 'build', '--docker', '--dir', 'apps/shop');
  assert.equal(
    [status, stdout, stderr],
    [0, 'written   Dockerfile\nwritten   Dockerfile.dockerignore\n', ''],
  );
  const text = made.read('apps/shop/Dockerfile');
  const commands = [...text.matchAll(/^RUN (npm .*)$/gm)].map(([, command]) => command);
  assert.equal(commands, [
    'npm ci --omit=dev --workspace apps/shop',
    'npm ci',
    ...['packages/words', 'packages/worn', 'apps/shop'].map((one) => `npm run build --workspace ${one}`),
  ]);
  assert.match(made.read('apps/shop/Dockerfile.dockerignore'), /^\*\*\/\.env$/m);
});

test.run();
