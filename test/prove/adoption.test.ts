import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, fwk } from '../harness/fwk.js';
import { type Project, project } from '../harness/project.js';
import { unsampled } from '../harness/sample.js';
import { module } from '../harness/source.js';
import { changed, GET, policyOf } from './static-project.js';

// How a team introduces a policy for an existing application: reads(), a baseline, and findings of a change.

const test = suite('introducing fwk prove');

const BASELINE = 'prove.baseline.json';
const POLICY = policyOf("  under('api/v1/admin/**').passes('api/v1/admin').refuses(anonymous),");
const OPEN = 'api/v1/(open)/admin/export.get.ts';
const LABEL = 'GET /api/v1/admin/export';
const GUARD = module(
  'error, middleware',
  'export default middleware((_req, _res, ctx, next) => {\n  if (!ctx.visitor) throw error(401);\n  return next();\n});',
);
const unfinished = (): Project =>
  project(changed({ 'policy.ts': POLICY, 'api/v1/admin/_middleware.ts': GUARD, [OPEN]: GET }));
const reported = ({ stdout }: Ended): Record<'findings' | 'known' | 'fixed', { route: string }[]> =>
  JSON.parse(stdout);

test('reads() accepts a middleware, a handler, or code that they use, and finds routes without any', async () => {
  const reads = policyOf(
    "  under('api/v1/**').except('api/v1/login', 'nobody is known yet').reads('visitor'),",
  );
  const change = {
    'policy.ts': reads,
    'api/v1/admin/_middleware.ts': GUARD,
    'lib/who.ts': 'export const whoIs = (scope) => scope.visitor;\n',
    'api/v1/books/[id].get.ts':
      "import { get } from 'fwkit';\nimport { whoIs } from '../../../lib/who.js';\nexport default get((_req, _res, ctx) => whoIs(ctx));\n",
    'api/v1/ping.get.ts': GET.replace(
      '(() => 1)',
      "(() => 1).meta({ public: 'the load balancer calls it' })",
    ),
  };
  const holding = await fwk(project(changed(change)), 'prove', '--json');
  assert.equal([holding.status, reported(holding).findings], [0, []]);
  const { status, stdout } = await fwk(
    project(changed({ ...change, 'api/v1/books/[id].get.ts': GET })),
    'prove',
    '--static',
  );
  assert.is(status, 1);
  assert.match(
    stdout,
    'GET /api/v1/books/:id  src/api/v1/books/[id].get.ts\n      does not read ctx.visitor, and neither does anything before it\n',
  );
});

unsampled(test)('reads() with several keys requires one of them', async () => {
  const several = policyOf("  under('api/v1/books/**').reads('rooms', 'visitor'),");
  const reader = "import { get } from 'fwkit';\nexport default get((_req, _res, { visitor }) => visitor);\n";
  const made = project(changed({ 'policy.ts': several, 'api/v1/books/[id].get.ts': reader }));
  assert.is((await fwk(made, 'prove')).status, 0);
});

test('known findings pass, new findings fail, and fixed findings are reported until the baseline is written again', async () => {
  const made = unfinished();
  const written = await fwk(made, 'prove', '--baseline');
  assert.equal([written.status, written.stderr], [0, `${BASELINE} has 2 findings now.\n`]);
  assert.equal(
    JSON.parse(made.read(BASELINE)).findings.map(({ kind, visitor }: Record<string, string>) => [
      kind,
      visitor,
    ]),
    [
      ['missing', undefined],
      ['open', 'anonymous'],
    ],
  );
  const known = await fwk(made, 'prove', '--json');
  assert.equal([known.status, reported(known).findings, reported(known).known.length], [0, [], 2]);

  made.write('api/v1/(open)/admin/dump.get.ts', GET);
  const worse = await fwk(made, 'prove', '--json');
  assert.is(worse.status, 1);
  assert.equal(
    reported(worse).findings.map(({ route }) => route),
    ['GET /api/v1/admin/dump', 'GET /api/v1/admin/dump'],
  );

  made.remove('api/v1/(open)/admin/dump.get.ts');
  made.remove(OPEN);
  const better = await fwk(made, 'prove');
  assert.is(better.status, 0);
  assert.match(better.stdout, `  Fixed: missing ${LABEL}\n  Fixed: open ${LABEL}\n`);
  await fwk(made, 'prove', '--baseline');
  assert.equal(JSON.parse(made.read(BASELINE)).findings, []);
});

unsampled(test)('an invalid baseline is rejected', async () => {
  const made = unfinished();
  made.write(BASELINE, '[]');
  const { status, stderr } = await fwk(made, 'prove', '--static');
  assert.is(status, 2);
  assert.match(stderr, `${BASELINE}: is not a baseline.`);
});

test('--since reports findings for routes that a change reaches, or for all routes if the policy changed', async () => {
  const made = unfinished();
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: made.root });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'a');
  const routes = async (): Promise<string[]> =>
    reported(await fwk(made, 'prove', '--json', '--since', 'main')).findings.map(({ route }) => route);
  assert.equal(await routes(), []);
  made.write('api/v1/(open)/admin/dump.get.ts', GET);
  assert.equal(await routes(), ['GET /api/v1/admin/dump', 'GET /api/v1/admin/dump']);
  made.write('policy.ts', `${POLICY}// Edited.\n`);
  assert.equal((await routes()).length, 4);
  const { status, stdout } = await fwk(made, 'prove', '--json', '--since', 'never');
  assert.equal([status, JSON.parse(stdout).errors[0].code], [2, 'FWK866']);
});

test.run();
