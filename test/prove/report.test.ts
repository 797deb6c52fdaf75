import { createRequire } from 'node:module';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, fwk } from '../harness/fwk.js';
import { packagesAs } from '../harness/packages.js';
import { project } from '../harness/project.js';
import { type Change, changed, GET, policyOf } from './static-project.js';

// `fwk prove` from outside: what it prints, and its status.

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

interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly object[] | null;
}

/** What the published schema of SARIF says of a log. */
function sarifMistakes(log: unknown): readonly object[] {
  const folder = packagesAs('sarif', { '@microsoft/jest-sarif': '1.0.0-beta.0' });
  const require = createRequire(path.join(folder, 'package.json'));
  const Ajv = require('ajv') as new (options: object) => { compile(schema: object): Validate };
  const schema = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as object;
  const validate = new Ajv({
    schemaId: 'auto',
    unknownFormats: 'ignore',
    meta: true,
    validateSchema: false,
  }).compile(schema);
  return validate(log) ? [] : (validate.errors ?? [{}]);
}

test('where all holds, one line a rule, and status 0', async () => {
  const { status, stdout, stderr } = await fwk(holding, 'prove', '--static');
  assert.equal([status, stderr], [0, '']);
  assert.match(
    stdout,
    /^✓ under\("api\/v1\/admin\/\*\*"\)\.passes\("api\/v1\/admin"\) {2}3 routes\nThe policy holds: 10 routes and 2 tools, \d+ ms\n$/,
  );
});

test('on a terminal what does not hold is a block, and the status is 1', async () => {
  const { status, stdout, stderr } = await prove();
  assert.equal([status, stderr], [1, '']);
  const lines = stdout.split('\n');
  assert.equal(lines.slice(0, 4), [
    `✗ ${RULE}  3 of 4 routes`,
    '    GET /api/v1/admin/export,a  src/api/v1/(open)/admin/export,a.get.ts',
    '      does not pass src/api/v1/admin/_middleware.ts',
    `      ${FIX}`,
  ]);
  assert.equal(lines.slice(4, 7), [
    '✗ everything().passes("csrf", "csrf, or: 100%")  10 routes and 2 tools',
    '    src/policy.ts:7',
    `      ${UNKNOWN}`,
  ]);
  assert.ok(lines.includes('    GET /  except: no, pages'), stdout);
  assert.match(stdout, /\n2 do not hold: 11 routes and 2 tools, \d+ ms\n$/);
});

test('as JSON', async () => {
  const { status, stdout } = await prove('--json');
  const report = JSON.parse(stdout);
  assert.is(status, 1);
  assert.equal(Object.keys(report), ['version', 'findings', 'proven', 'requests']);
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

test('as annotations of GitHub, escaped by its rules', async () => {
  const { status, stdout } = await prove('--format', 'github');
  assert.is(status, 1);
  const [first, second, ...more] = stdout.trim().split('\n');
  assert.equal(more, []);
  assert.is(
    first,
    `::error file=src/api/v1/(open)/admin/export%2Ca.get.ts,title=${RULE}::GET /api/v1/admin/export,a does not pass src/api/v1/admin/_middleware.ts. ${FIX}`,
  );
  assert.ok(
    second?.startsWith(
      '::error file=src/policy.ts,line=7,title=everything().passes("csrf"%2C "csrf%2C or%3A 100%25")::there is no middleware "csrf, or: 100%25". ',
    ),
    second,
  );
});

test('as markdown, where no word becomes markup', async () => {
  const { status, stdout } = await prove('--format', 'markdown');
  assert.is(status, 1);
  const [head, line, row] = stdout.split('\n');
  assert.equal([head, line], ['| Route | File | Rule | What | Fix |', '|---|---|---|---|---|']);
  assert.ok(
    row?.startsWith('| `GET /api/v1/admin/export,a` | `src/api/v1/(open)/admin/export,a.get.ts` |'),
    row,
  );
  assert.ok(row?.includes('does not pass src/api/v1/admin/\\_middleware.ts |'), row);
  assert.ok(stdout.includes('- `GET /` except: no, pages'), stdout);
});

test('as SARIF 2.1.0, by its schema, with what code scanning needs', async () => {
  const { status, stdout } = await prove('--format', 'sarif');
  assert.is(status, 1);
  const log = JSON.parse(stdout);
  assert.equal(sarifMistakes(log), []);
  // The schema is not one that anything would pass.
  assert.is.not(sarifMistakes({ ...log, version: '2.0' }).length, 0);
  const [{ tool, results }] = log.runs;
  assert.equal(
    tool.driver.rules.map(({ id }: { id: string }) => id),
    ['missing', 'unknown'],
  );
  const [first, second] = results;
  assert.equal([first.ruleId, first.ruleIndex, first.level], ['missing', 0, 'error']);
  assert.equal(first.locations[0].physicalLocation, {
    artifactLocation: { uri: 'src/api/v1/(open)/admin/export%2Ca.get.ts' },
  });
  assert.equal(second.locations[0].physicalLocation.region, { startLine: 7 });
  const none = await fwk(holding, 'prove', '--static', '--format', 'sarif');
  assert.is(none.status, 0);
  assert.equal(sarifMistakes(JSON.parse(none.stdout)), []);
});

test('what a project prints while it is imported is no part of a report', async () => {
  const made = project({
    ...changed(BROKEN),
    'api/noisy.get.ts': `console.log('hello');\nprocess.stdout.write('world');\n${GET}`,
  });
  const { status, stdout, stderr } = await fwk(made, 'prove', '--static', '--json');
  assert.equal([status, stderr], [1, 'hello\nworld']);
  assert.is(JSON.parse(stdout).version, 1);
});

const mistakes: Readonly<Record<string, readonly [says: string, files: Change, flags?: readonly string[]]>> =
  {
    'no policy': [
      "There is no policy. Write src/policy.ts: export default policy([everything().passes('request-log')]), with these functions of '@fwkit/prove'.",
      { 'policy.ts': undefined },
    ],
    'one that throws': [
      'src/policy.ts:2: throws when it is imported: no luck. Fix it there.',
      { 'policy.ts': "\nthrow new Error('no luck');\n" },
    ],
    'one that does not parse': [
      'src/policy.ts:1: does not parse',
      { 'policy.ts': 'export default policy(;' },
    ],
    'one that exports something else': [
      'src/policy.ts: does not export a policy. Export default policy([everything().passes(…)]).',
      { 'policy.ts': 'export default [];' },
    ],
    'two policies': [
      'src/policy.ts: is a second policy, beside src/policy.mts. Delete one.',
      { 'policy.mts': 'export {};' },
    ],
    'an exception without a reason': [
      'src/policy.ts:8: under("api/**").except("api/x") takes a reason after the pattern: it is shown in reports.',
      {
        'policy.ts': policyOf(
          "  everything().passes('csrf'),\n  under('api/**')\n    .except('api/x').passes('csrf')",
        ),
      },
    ],
    'no pattern': [
      "src/policy.ts:6: under() takes a pattern, such as 'api/admin/**'.",
      { 'policy.ts': policyOf('  under(),') },
    ],
    'no name': [
      `src/policy.ts:6: everything().passes() takes the name of a middleware, such as 'csrf', or several.`,
      { 'policy.ts': policyOf('  everything().passes(),') },
    ],
    'an unknown key of ctx': [
      'src/policy.ts:6: visitor("x") has ctx.visiter, which nothing provides. There is: logger, rooms, visitor.',
      { 'policy.ts': policyOf("  everything().refuses(p.visitor('x', { ctx: { visiter: 1 } })),") },
    ],
    'a project that does not boot': ['src/api/x.get.ts: ', { 'api/x.get.ts': 'export default 5;' }],
    'an unknown format': [
      '--format takes terminal, json, github, sarif, markdown, not "yaml".',
      {},
      ['--format', 'yaml'],
    ],
    'two formats': [
      '--json and --format sarif ask for two formats. Give one.',
      {},
      ['--json', '--format', 'sarif'],
    ],
  };

test('what cannot be said is said in one sentence, with status 2', async () => {
  const ended = Object.entries(mistakes).map(async ([name, [says, files, flags = []]]) => {
    const { status, stdout, stderr } = await fwk(project(changed(files)), 'prove', '--static', ...flags);
    assert.equal([name, status, stdout], [name, 2, '']);
    assert.ok(stderr.includes(says), `${name}: ${stderr}`);
    assert.not.match(stderr, /^\s+at /m, name);
  });
  await Promise.all(ended);
});

test('disable takes the command away', async () => {
  const config =
    "import { prove } from '@fwkit/prove';\nexport default { plugins: [prove()], disable: ['prove'] };\n";
  const { status, stderr } = await fwk(project(changed({ 'fwk.config.ts': config })), 'prove');
  assert.is(status, 1);
  assert.match(stderr, 'fwk prove comes with a package');
});

test.run();
