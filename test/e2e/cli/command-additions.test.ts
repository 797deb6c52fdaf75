import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { TSCONFIG } from '../../harness/settings.js';
import { tells } from '../../harness/source.js';

const test = suite('additions to commands');

const plugin = (name: string, additions: string) => `
  import { BootError, definePlugin } from 'fwkit/plugin';
  export const ${name} = definePlugin({ name: '${name}', apply() {}, additions: [${additions}] });
`;
const summary = `{
  command: 'routes',
  flag: { name: 'summary', value: 'style', description: 'Count the routes' },
  load: () => import('./summary.js'),
}`;
const counted = `{
  command: 'build',
  load: async () => ({ run: async ({ paths }, { project, routes }) => {
    console.log('[step]', project.run.purpose, routes.map(({ label }) => label).join(), typeof paths().root);
  } }),
}`;
const strict = `{
  command: 'build',
  flag: { name: 'strict', description: 'Refuse routes without a test' },
  load: async () => ({ run: async () => {
    throw new BootError({ code: 'TEST-1', file: 'src/api/x.get.ts', message: 'has no test. Write one.' });
  } }),
}`;

const files: Files = {
  'api/x.get.ts': tells('get', 'x'),
  'fwk.config.ts': `import { tools } from './lib/tools.js';\nexport default { plugins: [tools] };\n`,
  'lib/tools.ts': plugin('tools', [summary, counted, strict].join()),
  'lib/summary.ts': `
    export async function run({ flags }, { routes }) {
      console.log(\`\${routes.length} \${flags.summary}\`);
    }
  `,
};
const run = async (made: Project, ...args: string[]) => fwk(made, ...args);

test('a flag of fwk routes replaces the table', async () => {
  const made = project(files);
  assert.equal(await run(made, 'routes', '--summary', 'short'), {
    status: 0,
    stdout: '1 short\n',
    stderr: '',
  });
  assert.equal(await run(made, 'routes'), { status: 0, stdout: 'GET /api/x\n', stderr: '' });
});

test('the help of the command lists the flag', async () => {
  const made = project(files);
  const { stdout } = await run(made, 'routes', '--help');
  assert.match(stdout, /--summary +<style> Count the routes/);
  assert.match(stdout, /--verbose/);
  assert.not.match(
    (await run(project({ 'api/x.get.ts': tells('get', 'x') }), 'routes', '--help')).stdout,
    'summary',
  );
});

test("the flag's value is checked, and an unknown flag is rejected", async () => {
  const made = project(files);
  const without = await run(made, 'routes', '--summary');
  assert.is(without.status, 1);
  assert.match(without.stderr, '--summary needs a value: --summary <style>.');
  const unknown = await run(made, 'routes', '--summery', 'short');
  assert.match(unknown.stderr, 'There is no flag "--summery" for fwk routes. Did you mean "--summary"?');
});

test('a step of fwk build gets the checked project in each build', async () => {
  const made = project({ ...files, 'tsconfig.json': TSCONFIG });
  const { status, stdout, stderr } = await run(made, 'build');
  assert.is(status, 0, stderr);
  assert.match(stdout, '[step] build GET /api/x string');
});

test('a step with a flag runs only if the flag is given, and its rejection fails the build', async () => {
  const made = project({ ...files, 'tsconfig.json': TSCONFIG });
  const { status, stderr } = await run(made, 'build', '--strict');
  assert.is(status, 1);
  assert.match(stderr, 'src/api/x.get.ts: has no test. Write one.');
});

test('an error of the step names the plugin and the command', async () => {
  const made = project({
    ...files,
    'lib/summary.ts': `export async function run() { throw new TypeError('no style'); }`,
  });
  const { status, stderr } = await run(made, 'routes', '--summary', 'short');
  assert.is(status, 1);
  assert.match(stderr, 'Plugin "tools" failed in command "routes": no style');
});

test('a flag that two plugins, or a plugin and the command, define is a config error', async () => {
  const two = project({
    ...files,
    'lib/other.ts': plugin('other', summary),
    'fwk.config.ts': `import { tools } from './lib/tools.js';\nimport { other } from './lib/other.js';
      export default { plugins: [tools, other] };\n`,
  });
  const { stderr } = await run(two, 'routes');
  assert.match(stderr, 'has two flags "--summary" of fwk routes: of plugin "tools" and of plugin "other".');
  const taken = project({
    ...files,
    'lib/tools.ts': plugin('tools', summary.replace("'summary'", "'verbose'")),
  });
  assert.match(
    (await run(taken, 'routes')).stderr,
    'has two flags "--verbose" of fwk routes: of fwk itself and of plugin "tools".',
  );
  const ofBuild = project({
    ...files,
    'lib/tools.ts': plugin('tools', strict.replace("'strict'", "'docker'")),
  });
  assert.match(
    (await run(ofBuild, 'routes')).stderr,
    'has two flags "--docker" of fwk build: of fwk itself and of plugin "tools".',
  );
});

test('an addition to another command, or one without load, is a plugin error', async () => {
  const dev = project({ ...files, 'lib/tools.ts': plugin('tools', counted.replace("'build'", "'dev'")) });
  assert.match(
    (await run(dev, 'routes')).stderr,
    'which adds to the command "dev". Add to "routes" or "build".',
  );
  const empty = project({ ...files, 'lib/tools.ts': plugin('tools', `{ command: 'build' }`) });
  assert.match((await run(empty, 'routes')).stderr, 'which adds to the command "build" without load.');
});

test('disable removes the addition', async () => {
  const made = project({
    ...files,
    'fwk.config.ts': `import { tools } from './lib/tools.js';\nexport default { plugins: [tools], disable: ['tools'] };\n`,
  });
  const { status, stderr } = await run(made, 'routes', '--summary', 'short');
  assert.is(status, 1);
  assert.match(stderr, 'There is no flag "--summary" for fwk routes.');
});

test.run();
