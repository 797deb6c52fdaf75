import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { changed, GET, policyOf } from './static-project.js';

// `fwk build` checks its output against the policy without sending requests, and names source files.

const test = suite('the policy in fwk build');

const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    rootDir: 'src',
    outDir: 'dist',
    strict: false,
    skipLibCheck: true,
    types: ['node'],
  },
  include: ['src', '.fwk/**/*'],
});
const POLICY = policyOf(
  "  under('api/v1/admin/**').passes('request-log', 'api/v1/admin').refuses(anonymous),",
);

test('a build fails if the policy is violated, and passes after the fix', async () => {
  const made = project({
    ...changed({ 'policy.ts': POLICY, 'api/v1/(open)/admin/export.get.ts': GET }),
    'tsconfig.json': TSCONFIG,
  });
  const broken = await fwk(made, 'build');
  assert.is(broken.status, 1, broken.stderr);
  const lines = broken.stdout.split('\n');
  const at = lines.findIndex((line) => line.startsWith('✗'));
  assert.equal(lines.slice(at, at + 4), [
    '✗ under("api/v1/admin/**").passes("request-log", "api/v1/admin").refuses(anonymous)  does not hold for 1 of 4 routes',
    '    GET /api/v1/admin/export  src/api/v1/(open)/admin/export.get.ts',
    '      does not pass src/api/v1/admin/_middleware.ts',
    '      It passes middlewares/1.request-log.ts → middlewares/2.csrf.ts. Move it below api/v1/admin/, or except it with a reason.',
  ]);
  assert.match(broken.stderr, 'FWK861 src/policy.ts: is violated: 1 finding, listed above.');
  assert.not.match(broken.stdout + broken.stderr, /dist\/(api|policy|middlewares)/);
  made.remove('api/v1/(open)/admin/export.get.ts');
  const fixed = await fwk(made, 'build');
  assert.is(fixed.status, 0, fixed.stderr);
  assert.not.match(fixed.stdout, /[✗✓]/);
});

test('a mistake in a policy fails the build and names the line', async () => {
  const made = project({
    ...changed({ 'policy.ts': policyOf("  under('api/**')\n    .except('api/x', ' ').passes('csrf'),") }),
    'tsconfig.json': TSCONFIG,
  });
  const wrong = await fwk(made, 'build');
  assert.is(wrong.status, 1);
  assert.match(wrong.stderr, 'FWK860 src/policy.ts:7: under("api/**").except("api/x") takes a reason');
});

test.run();
