import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, fwk } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { module } from '../harness/source.js';
import { type Change, changed, GET, policyOf } from './static-project.js';

// The output and status of `fwk prove`.

const test = suite('reports of fwk prove');

const RULES = `  under('api/v1/admin/**').passes('api/v1/admin'),
  everything().except('web/**', 'no, pages').passes('csrf', 'csrf, or: 100%'),`;
const BROKEN: Change = { 'policy.ts': policyOf(RULES), 'api/v1/(open)/admin/export,a.get.ts': GET };
const RULE = 'under("api/v1/admin/**").passes("api/v1/admin")';
const FIX =
  'It passes middlewares/1.request-log.ts → middlewares/2.csrf.ts. Move it below api/v1/admin/, or except it with a reason.';
const UNKNOWN = 'there is no middleware "csrf, or: 100%"';

const holding = project(
  changed({ 'policy.ts': policyOf("  under('api/v1/admin/**').passes('api/v1/admin'),") }),
);
const broken = project(changed(BROKEN));
const prove = (...flags: string[]): Promise<Ended> => fwk(broken, 'prove', '--static', ...flags);

test('a policy that holds prints one line per rule and ends with exit code 0', async () => {
  const { status, stdout, stderr } = await fwk(holding, 'prove', '--static');
  assert.equal([status, stderr], [0, '']);
  assert.match(
    stdout,
    /^✓ under\("api\/v1\/admin\/\*\*"\)\.passes\("api\/v1\/admin"\) {2}3 routes\nThe policy holds: 10 routes and 2 tools, [\d,]+ ms\n$/,
  );
});

test('the terminal prints a block for each violation, and the exit code is 1', async () => {
  const { status, stdout, stderr } = await prove();
  assert.equal([status, stderr], [1, '']);
  const lines = stdout.split('\n');
  assert.equal(lines.slice(0, 4), [
    `✗ ${RULE}  does not hold for 1 of 4 routes`,
    '    GET /api/v1/admin/export,a  src/api/v1/(open)/admin/export,a.get.ts',
    '      does not pass src/api/v1/admin/_middleware.ts',
    `      ${FIX}`,
  ]);
  assert.equal(lines.slice(4, 7), [
    '✗ everything().passes("csrf", "csrf, or: 100%")  10 routes and 2 tools',
    '    src/policy.ts:7',
    `      ${UNKNOWN}`,
  ]);
  assert.ok(lines.includes('  GET /  except: no, pages'), stdout);
  assert.match(stdout, /\n2 of 2 rules do not hold: 2 findings, 11 routes and 2 tools, [\d,]+ ms\n$/);
});

test('the JSON report', async () => {
  const { status, stdout } = await prove('--json');
  const report = JSON.parse(stdout);
  assert.is(status, 1);
  assert.equal(Object.keys(report), [
    'version',
    'findings',
    'proven',
    'requests',
    'environment',
    'known',
    'fixed',
  ]);
  assert.equal([report.version, report.requests], [1, 0]);
  assert.equal(report.findings[0], {
    rule: RULE,
    route: 'GET /api/v1/admin/export,a',
    file: 'src/api/v1/(open)/admin/export,a.get.ts',
    kind: 'missing',
    problem: 'does not pass src/api/v1/admin/_middleware.ts',
    fix: FIX,
  });
  assert.ok(report.proven.some((one: { by: string }) => one.by === 'except: no, pages'));
});

test('GitHub annotations are escaped', async () => {
  const { status, stdout } = await prove('--github');
  assert.is(status, 1);
  const [first, second, ...more] = stdout.trim().split('\n');
  assert.equal(more, []);
  assert.is(
    first,
    `::error file=src/api/v1/(open)/admin/export%2Ca.get.ts,line=1,title=${RULE}::GET /api/v1/admin/export,a does not pass src/api/v1/admin/_middleware.ts. ${FIX}`,
  );
  assert.ok(
    second?.startsWith(
      '::error file=src/policy.ts,line=7,title=everything().passes("csrf"%2C "csrf%2C or%3A 100%25")::there is no middleware "csrf, or: 100%25". ',
    ),
    second,
  );
});

test('every report shows a public route with its reason, and not as a finding', async () => {
  const made = project(
    changed({
      'policy.ts': policyOf(
        "  under('api/v1/admin/**').passes('api/v1/admin'),\n  everything().passes('csrf'),",
      ),
      'api/v1/admin/ping.get.ts': GET.replace(
        '(() => 1)',
        "(() => 1).meta({ public: 'the balancer\\nasks' })",
      ),
    }),
  );
  const reports = await Promise.all(
    [[], ['--json'], ['--github']].map(async (flags) => {
      const { status, stdout } = await fwk(made, 'prove', '--static', ...flags);
      assert.equal([flags, status], [flags, 0]);
      return stdout;
    }),
  );
  const [terminal = '', json = '', github = ''] = reports;
  assert.match(terminal, '  GET /api/v1/admin/ping  public: the balancer');
  assert.match(json, '"by": "public: the balancer\\nasks"');
  assert.is(github, '::notice title=public::GET /api/v1/admin/ping public: the balancer%0Aasks\n');
});

test('a rule without requests is not reported as holding', async () => {
  const files = changed({
    'policy.ts': policyOf(`  under('api/v1/admin/**').passes('api/v1/admin').refuses(anonymous),
  tools().refuses(anonymous),
  everything().passes('csrf'),`),
  });
  const { status, stdout } = await fwk(project(files), 'prove', '--static');
  assert.is(status, 0);
  assert.match(
    stdout,
    /^- under\(.*\.refuses\(anonymous\) {2}3 routes: no request sent\n- tools\(\)\.refuses\(anonymous\) {2}2 tools: no request sent\n✓ everything.*\nNo violation without requests, and 2 of 3 rules need requests: 10 routes and 2 tools, [\d,]+ ms\n$/,
  );
});

test('admitted visitors and missing guards share a block, and equal problems are printed once', async () => {
  const files = changed({
    'policy.ts': policyOf(
      "  under('api/v1/admin/**').passes('api/v1/admin').refuses(anonymous).admits(admin),",
    ),
    'api/v1/admin/_middleware.ts': module(
      'error, middleware',
      'export default middleware((_req, _res, ctx, next) => {\n  if (!ctx.visitor?.admin) throw error(401);\n  return next();\n});',
    ),
    'api/v1/(open)/admin/a.get.ts': GET,
    'api/v1/(open)/admin/b.get.ts': GET,
  });
  const { stdout } = await fwk(project(files), 'prove');
  const lines = stdout.split('\n');
  assert.equal(lines.slice(0, 6), [
    `✗ ${RULE}.refuses(anonymous).admits(an admin)  does not hold for 2 of 5 routes`,
    '    GET /api/v1/admin/a  src/api/v1/(open)/admin/a.get.ts',
    '    GET /api/v1/admin/b  src/api/v1/(open)/admin/b.get.ts',
    '      does not pass src/api/v1/admin/_middleware.ts',
    '      lets anonymous in',
    `      ${FIX}`,
  ]);
  assert.match(stdout, /\n1 of 1 rule does not hold: 4 findings, /);
});

test('the output of imported modules is not part of a report', async () => {
  const made = project({
    ...changed(BROKEN),
    'api/noisy.get.ts': `console.log('hello');\nprocess.stdout.write('world');\n${GET}`,
  });
  const { status, stdout, stderr } = await fwk(made, 'prove', '--static', '--json');
  assert.equal([status, stderr], [1, 'hello\nworld']);
  assert.is(JSON.parse(stdout).version, 1);
});

test.run();
