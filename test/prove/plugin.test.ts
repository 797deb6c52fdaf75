import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../harness/fwk.js';
import { layouts, project } from '../harness/project.js';
import { changed, GET, layer } from './static-project.js';

// @fwkit/prove as a plugin: its effect on builds, its imports, and its guidance for assistants.

const test = suite('the plugin @fwkit/prove');

const run = async (text: string, files: Readonly<Record<string, string>> = {}) => {
  const made = project({ ...files, 'run.mjs': text });
  const { status, stdout, stderr } = await ended(start(process.execPath, ['run.mjs'], made.root), 'run.mjs');
  assert.is(status, 0, stderr);
  return stdout;
};

test('it breaks no law of plugins but one: mistakes of a policy are told by the commands that read it', async () => {
  const files = { 'api/x.get.js': GET, 'policy.js': 'export default 1;' };
  const told = await run(`import { prove } from '@fwkit/prove';
import { testPlugin } from 'fwkit/testing';
await testPlugin(prove(), { files: ${JSON.stringify(files)} })
  .catch(({ broken }) => console.log(broken.map(({ law }) => law).join()));`);
  assert.is(told.trim(), 'errors');
});

test('a policy is never imported by what serves it', async () => {
  const files = changed({ 'policy.ts': "throw new Error('imported');\n" });
  const told = await run(
    `import { createTestApp } from 'fwkit/testing';
for (const mode of ['test', 'production']) {
  process.env.NODE_ENV = mode;
  const app = await createTestApp();
  console.log((await app.fetch('/')).status);
  await app.close();
}`,
    files,
  );
  assert.is(told, '200\n200\n');
});

for (const layout of layouts)
  test(`a project in ${layout} is proven alike`, async () => {
    const policy =
      "import { policy, under } from '@fwkit/prove';\nexport default policy([under('api/admin/**').passes('admin')]);\n";
    const files = {
      'fwk.config.ts': changed({})['fwk.config.ts'] ?? '',
      'policy.ts': policy,
      'api/admin/_middleware.ts': layer,
      'api/admin/x.get.ts': GET,
      'web/api/admin/y.get.ts': GET,
    };
    const made = project(files, layout);
    const { status, stdout } = await fwk(made, 'prove');
    assert.is(status, 1);
    assert.match(
      stdout,
      `    GET /api/admin/y  ${made.label('web/api/admin/y.get.ts')}\n      does not pass ${made.label('api/admin/_middleware.ts')}`,
    );
  });

test('assistants are told to run it, and not to except what it finds', async () => {
  const made = project(changed({}));
  const { status, stderr } = await fwk(made, 'skills', '--ide', 'codex');
  assert.is(status, 0, stderr);
  assert.match(made.read('AGENTS.md'), 'npx fwk prove');
});

test.run();
