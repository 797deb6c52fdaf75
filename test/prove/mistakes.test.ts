import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { type Change, changed, policyOf } from './static-project.js';

// Cases that `fwk prove` cannot decide, with the reason, as users see them.

const test = suite('mistakes that fwk prove tells');

const mistakes: Readonly<Record<string, readonly [sentence: string, files: Change]>> = {
  'no policy': [
    "There is no policy. Write src/policy.ts: export default policy([everything().passes('…')]), with these functions of '@fwkit/prove'.",
    { 'policy.ts': undefined },
  ],
  'one that throws': [
    'src/policy.ts:2: throws when it is imported: no luck. Fix it there.',
    { 'policy.ts': "\nthrow new Error('no luck');\n" },
  ],
  'one that does not parse': ['src/policy.ts:1: does not parse', { 'policy.ts': 'export default policy(;' }],
  'one that exports something else': [
    'src/policy.ts: does not export a policy. Export default policy([everything().passes(…)]).',
    { 'policy.ts': 'export default [];' },
  ],
  'two policies': [
    'src/policy.ts: is a second policy, beside src/policy.mts. Delete one.',
    { 'policy.mts': 'export {};' },
  ],
  'an exception without a reason': [
    'src/policy.ts:8: under("api/**").except("api/x") takes a reason, which reports show, after the pattern.',
    {
      'policy.ts': policyOf(
        "  everything().passes('csrf'),\n  under('api/**')\n    .except('api/x').passes('csrf')",
      ),
    },
  ],
  'a project that does not boot': ['src/api/x.get.ts: ', { 'api/x.get.ts': 'export default 5;' }],
};

test('a policy that cannot be checked is one sentence and exit code 2', async () => {
  const ended = Object.entries(mistakes).map(async ([name, [sentence, files]]) => {
    const { status, stdout, stderr } = await fwk(project(changed(files)), 'prove', '--static');
    assert.equal([name, status, stdout], [name, 2, '']);
    assert.ok(stderr.includes(sentence), `${name}: ${stderr}`);
    assert.not.match(stderr, /^\s+at /m, name);
  });
  await Promise.all(ended);
});

test('with --json, the error is JSON', async () => {
  const made = project(changed({ 'policy.ts': 'export default [];' }));
  const { status, stdout, stderr } = await fwk(made, 'prove', '--json');
  assert.is(status, 2);
  const message = 'does not export a policy. Export default policy([everything().passes(…)]).';
  assert.equal(JSON.parse(stdout), {
    version: 1,
    errors: [{ code: 'FWK860', file: 'src/policy.ts', message }],
  });
  assert.match(stderr, 'does not export a policy');
});

test('with --json, a command-line mistake is JSON in every command', async () => {
  const made = project(changed({ 'lib/loud.ts': "console.log('loud');\nexport const loud = 1;\n" }));
  const commandLines: readonly [code: string, message: RegExp, ...args: string[]][] = [
    ['FWK866', /^Name the files that changed/, 'impact', '--json'],
    ['FWK866', /^src\/never\.ts is not there/, 'impact', 'src/never.ts', '--json'],
    ['FWK603', /^fwk reach: there is no route/, 'reach', 'GET /never', '--json'],
  ];
  const ended = commandLines.map(async ([code, sentence, ...args]) => {
    const { status, stdout, stderr } = await fwk(made, ...args);
    const { version, errors } = JSON.parse(stdout);
    assert.equal([status, version, errors.length, errors[0].code], [2, 1, 1, code], args.join(' '));
    assert.match(errors[0].message, sentence);
    assert.match(stderr, new RegExp(`^${code} `));
  });
  await Promise.all(ended);
});

test('a broken config ends with exit code 2 and its problem, also as JSON', async () => {
  for (const text of [
    "import { prov } from '@fwkit/prove';\nexport default { plugins: [prov()] };\n",
    'export default {',
  ])
    for (const command of ['prove', 'impact', 'reach']) {
      const made = project(changed({ 'fwk.config.ts': text }));
      const { status, stdout, stderr } = await fwk(made, command, '--json');
      const { version, errors } = JSON.parse(stdout);
      assert.equal([status, version, errors[0].file], [2, 1, 'src/fwk.config.ts']);
      assert.match(stderr, 'src/fwk.config.ts');
    }
});

test('a misspelled flag ends with exit code 2', async () => {
  const { status, stderr } = await fwk(project(changed({})), 'prove', '--statik');
  assert.is(status, 2);
  assert.match(stderr, 'Did you mean "--static"?');
});

test('a disabled plugin has no commands', async () => {
  const config =
    "import { prove } from '@fwkit/prove';\nexport default { plugins: [prove()], disable: ['prove'] };\n";
  const { status, stderr } = await fwk(project(changed({ 'fwk.config.ts': config })), 'prove');
  assert.is(status, 2);
  assert.match(stderr, '"prove" is a command of plugin "prove", which src/fwk.config.ts disables.');
});

test.run();
