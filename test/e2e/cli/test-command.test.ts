import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, ended, fwk, launch, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { node } from '../../harness/nodes.js';
import { type Files, layouts, type Project, project } from '../../harness/project.js';
import { sampled, unsampled } from '../../harness/sample.js';

const test = suite('fwk test');

const passes = (name: string): string => `import { test } from 'node:test';\n\ntest('${name}', () => {});\n`;

const files: Files = {
  'services/tea.ts': `import { service } from 'fwkit';\n\nexport default service(() => 1);\n`,
  'services/tea.test.ts': passes('beside a service'),
  'main.test.ts': passes('at the top'),
  'test/app.test.ts': passes('in test'),
  'test/sub/deep.test.ts': passes('further below'),
  'test/sub/[id].test.ts': passes('of a parameter'),
  'test/helper.ts': `throw new Error('A helper is no test.');\n`,
};
const TESTS = 5;

const runBy = async (program: string, { root }: Project): Promise<Ended> =>
  ended(start(program, [bin('fwk'), 'test'], root), 'fwk test');

for (const layout of layouts) {
  for (const [version, program] of sampled([
    ['the Node of these tests', () => process.execPath],
    ['Node 22', () => node(22)],
    ['Node 24', () => node(24)],
    ['Node 26', () => node(26)],
  ] as const))
    test(`${layout}: all tests run once with ${version}`, async () => {
      const made = project(files, layout);
      await fwk(made, 'scaffold', ...(layout === 'js' ? ['--js'] : []));
      const { status, stdout, stderr } = await runBy(program(), made);
      assert.is(status, 0, stdout + stderr);
      assert.match(stdout, new RegExp(`^(#|ℹ) pass ${TESTS}$`, 'm'));
    });

  test(`${layout}: one failing test fails the command`, async () => {
    const made = project(
      { 'services/a/b.test.ts': `import { test } from 'node:test';\n\ntest('x', () => { throw 1; });\n` },
      layout,
    );
    await fwk(made, 'scaffold', ...(layout === 'js' ? ['--js'] : []));
    const { status, stdout } = await ended(start('npm', ['test'], made.root), 'npm test');
    assert.is(status, 1);
    assert.match(stdout, /^(#|ℹ) fail 1$/m);
  });

  test(`${layout}: fails with a message if there are no tests`, async () => {
    const made = project(
      { 'api/a.get.ts': `import { get } from 'fwkit';\n\nexport default get(() => 1);\n` },
      layout,
    );
    const { status, stderr } = await fwk(made, 'test');
    assert.is(status, 1);
    assert.match(stderr, 'There are no tests');
  });
}

unsampled(test)('does not run tests if the project does not compile', async () => {
  const made = project({ 'main.test.ts': passes('x') }, 'ts');
  await fwk(made, 'scaffold');
  made.write('services/wrong.ts', 'export const wrong: string = 1;\n');
  const { status, stdout } = await fwk(made, 'test');
  assert.is.not(status, 0);
  assert.match(stdout, 'TS2322');
  assert.not.match(stdout, 'pass');
});

unsampled(test)('runs only the tests whose path contains one of the given words', async () => {
  const made = project(files, 'js');
  const some = await fwk(made, 'test', 'services', 'deep');
  assert.is(some.status, 0, some.stdout + some.stderr);
  assert.match(some.stdout, /^(#|ℹ) pass 2$/m);
  const { status, stderr } = await fwk(made, 'test', 'nothing');
  assert.is(status, 1);
  assert.match(stderr, 'No test has "nothing" in its path. There are main.test.js, services/tea.test.js, ');
});

test('with words, compiles only these tests and their imports', async () => {
  const made = project(
    {
      'lib/used.ts': 'export const used = 1;\n',
      'lib/unused.ts': 'export const unused: string = 1;\n',
      'services/tea.test.ts': `import '../lib/used.js';\n${passes('tea')}`,
      'main.test.ts': passes('main'),
    },
    'ts',
  );
  await fwk(made, 'scaffold');
  const { status, stdout, stderr } = await fwk(made, 'test', 'tea');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /^(#|ℹ) pass 1$/m);
  assert.equal(
    ['lib/used', 'lib/unused', 'services/tea.test', 'main.test'].map((name) =>
      existsSync(`${made.root}/dist/${name}.js`),
    ),
    [true, false, true, false],
  );
  const none = await fwk(made, 'test', 'nothing');
  assert.match(none.stderr, 'There are dist/main.test.js, dist/services/tea.test.js');
});

unsampled(test)('ends its tests when it gets a signal', async () => {
  const made = project(
    {
      'slow.test.ts': `import { test } from 'node:test';

test('x', async () => { process.stderr.write('\\nbegun\\n'); await new Promise((end) => setTimeout(end, 60_000)); });
`,
    },
    'js',
  );
  const { child, output, end } = launch(bin('fwk'), ['test'], made.root);
  await output.waitFor(/begun/);
  child.kill('SIGTERM');
  assert.is.not((await end).status, 0);
});

unsampled(test)('tests get the NODE_ENV of the caller, not of the build', async () => {
  const made = project(
    {
      'env.test.ts': `import { test } from 'node:test';\n\ntest(\`\${process.env.NODE_ENV} \${process.env.COLOUR}\`, () => {});\n`,
    },
    'js',
  );
  made.write('.env.production', 'COLOUR=red\n');
  const child = start('env', ['-u', 'NODE_ENV', bin('fwk'), 'test'], made.root);
  assert.match((await ended(child, 'fwk test')).stdout, 'undefined undefined');
});

for (const layout of layouts)
  test(`${layout}: --changed runs the tests that reach a change, and lists the others`, async () => {
    const use = (name: string): string =>
      `import { test } from 'node:test';\nimport { ${name} } from '../lib/${name}.js';\n\ntest('${name}', () => void ${name});\n`;
    const made = project(
      {
        'fwk.config.ts': "import { prove } from '@fwkit/prove';\n\nexport default { plugins: [prove()] };\n",
        'lib/a.ts': 'export const a = 1;\n',
        'lib/b.ts': 'export const b = 1;\n',
        'test/a.test.ts': use('a'),
        'test/b.test.ts': use('b'),
      },
      layout,
    );
    await fwk(made, 'scaffold', ...(layout === 'js' ? ['--js'] : []));
    const git = (...args: string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: made.root });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'a');
    const unchanged = await fwk(made, 'test', '--changed');
    assert.equal([unchanged.status, /pass \d/.test(unchanged.stdout)], [0, false]);
    made.write('lib/a.ts', 'export const a = 2;\n');
    const { status, stdout, stderr } = await fwk(made, 'test', '--changed', 'main');
    assert.is(status, 0, stderr);
    assert.match(
      stdout,
      /^1 of 3 test files reach the changes since main\. Skipped: \S+app\.test\.js, \S+b\.test\.js$/m,
    );
    assert.match(stdout, /^(#|ℹ) pass 1$/m);
    const { status: failed, stderr: why } = await fwk(made, 'test', '--changed', 'never');
    assert.is(failed, 1);
    assert.match(why, 'never');
  });

test.run();
