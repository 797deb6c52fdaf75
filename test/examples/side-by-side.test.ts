import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../harness/fwk.js';
import { copyOf } from './example.js';

const test = suite('side by side');
const packages = [
  'fastify',
  'fastify-type-provider-zod',
  'hono',
  '@hono/node-server',
  '@hono/zod-validator',
  'zod',
];

test('the build and its tests pass, and its page is created', async () => {
  const { root, exists } = copyOf('side-by-side', packages);
  const limit = 90_000;
  const own = await ended(start('npm', ['test'], root), 'npm test', undefined, limit);
  assert.is(own.status, 0, own.stdout + own.stderr);
  assert.match(own.stdout, /^\S+ pass 8$/m);
  assert.is((await ended(start('node', ['page.js'], root), 'node page.js')).status, 0);
  assert.ok(exists('dist/side-by-side.html'));
});

test.run();
