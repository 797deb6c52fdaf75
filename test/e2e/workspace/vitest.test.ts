import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../../harness/fwk.js';
import { tools } from '../../harness/packages.js';
import { project } from '../../harness/project.js';
import { route } from '../../harness/source.js';

const test = suite('vitest at the root of a workspace');

const manifest = JSON.stringify({ type: 'module', scripts: { dev: 'fwk dev' } });
const asks = (expected: string) => `import { expect, test } from 'vitest';
import { createTestApp } from 'fwkit/testing';
test('asks', async () => {
  const app = await createTestApp();
  expect(await (await app.get('/api/name')).json()).toBe('${expected}');
  await app.close();
});
`;

test('each test has the app of its own project, and an unbuilt package is named', async () => {
  const made = project(
    {
      'package.json': JSON.stringify({ type: 'module', workspaces: ['apps/*', 'packages/*'] }),
      'vitest.config.js': `export default { test: { projects: ['apps/*'], watch: false } };`,
      'apps/one/package.json': manifest,
      // vitest replaces Node's console.
      'apps/one/fwk.config.js': 'export default { log: { access: true } };',
      'apps/one/api/name.get.js': route(
        `(req, res, ctx) => { ctx.logger.error({ by: 'one' }, '100%d sure'); return 'one'; }`,
      ),
      'apps/one/name.test.js': asks('one'),
      'apps/two/package.json': manifest,
      'apps/two/api/name.get.js': route('get', `() => 'two'`),
      'apps/two/name.test.js': asks('two'),
      'apps/three/package.json': manifest,
      'apps/three/name.test.js': asks('three'),
      'packages/unbuilt/package.json': JSON.stringify({
        name: '@acme/unbuilt',
        exports: { '.': { default: './dist/index.js' } },
      }),
    },
    'js',
  );
  // In TypeScript, which vitest transforms and resolves.
  mkdirSync(path.join(made.root, 'apps/three/api'));
  writeFileSync(
    path.join(made.root, 'apps/three/api/name.get.ts'),
    `import { a } from '@acme/unbuilt';\n${route('get', '() => a')}`,
  );
  mkdirSync(path.join(made.root, 'node_modules/@acme'), { recursive: true });
  symlinkSync(path.join(made.root, 'packages/unbuilt'), path.join(made.root, 'node_modules/@acme/unbuilt'));
  symlinkSync(path.join(tools(), 'node_modules/vitest'), path.join(made.root, 'node_modules/vitest'));
  const vitest = path.join(tools(), 'node_modules/vitest/vitest.mjs');
  const { status, stdout, stderr } = await ended(
    start(process.execPath, [vitest, 'run'], made.root),
    'vitest',
  );
  assert.is(status, 1);
  assert.match(stdout, /Tests +1 failed \| 2 passed/, stdout + stderr);
  assert.match(stderr, /100%d sure[^}]*by: 'one'/, stdout + stderr);
  assert.not.match(stdout + stderr, 'could not be written');
  assert.match(stdout + stderr, /FWK10\d api\/name\.get\.ts.*@acme\/unbuilt/, stdout + stderr);
});

test.run();
