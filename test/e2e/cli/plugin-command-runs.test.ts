import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { type Files, project } from '../../harness/project.js';
import { service, tells } from '../../harness/source.js';

const test = suite('runs of plugin commands');

const files: Files = {
  'api/x.get.ts': tells('get', 'x'),
  'services/store.ts': service("() => { throw new Error('made') }"),
  'fwk.config.ts': "import { greeter } from './lib/greeter.js';\nexport default { plugins: [greeter] };\n",
  'lib/greeter.ts': `
import { BootError, definePlugin } from 'fwkit/plugin';
export const greeter = definePlugin({
  name: 'greeter',
  apply() {},
  commands: [{
    name: 'flagged',
    description: 'Serve nothing, and read the routes of a run of its own.',
    load: async () => ({ run: async ({ open }) => {
      process.exitCode = 2;
      const apply = (hooks) => hooks.resolve.tapPromise({ name: 'flagged', stage: 60 }, async (routes) =>
        routes.map((route) => ({ ...route, label: route.label + '!' })));
      const overrides = { store: 'given' };
      const kernel = await open({ apply, overrides, purpose: 'build' });
      const { routes, project, close } = await kernel.resolve();
      console.log(routes.map(({ label }) => label).join(), project.overrides.get('store'), project.run.purpose);
      await close();
      if (routes.length > 1) throw new BootError([{ message: 'has too many.', code: 'GREETER-1' }]);
    } }),
  }],
});
`,
};

test('a command opens the project with its own taps and reports its result', async () => {
  const made = project(files);
  const one = await fwk(made, 'flagged');
  assert.equal([one.status, one.stdout, one.stderr], [2, 'GET /api/x! given build\n', '']);
  made.write('api/y.get.ts', tells('get', 'y'));
  const two = await fwk(made, 'flagged');
  assert.equal([two.status, two.stderr], [2, 'GREETER-1 has too many.\n']);
});

test('a command of a missing package prints how to install it', async () => {
  for (const name of ['prove', 'impact', 'reach']) {
    const { status, stderr } = await fwk(project(files), name);
    assert.is(status, 2);
    assert.match(
      stderr,
      `fwk ${name} comes with a package: install @fwkit/prove, and add plugins: [prove()]`,
    );
  }
});

test.run();
