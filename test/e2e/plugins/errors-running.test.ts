import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, type Ended, ended, fwk, launch, start } from '../../harness/fwk.js';
import { bin } from '../../harness/installed.js';
import { type Files, type Project, project } from '../../harness/project.js';
import { assertNamed, failed, files, plugin, remedy, resolve } from './broken-plugin.js';

const test = suite('errors of running plugins');

const serving = (body: string) =>
  plugin(
    `hooks.serve.tapPromise('jobs', async ({ onActivate, onStart, onClose, runtime, project }) => { ${body} });`,
  );
const whileServing: Readonly<Record<string, readonly [text: string, sentence: string]>> = {
  serve: [serving(`throw new Error('no queue');`), failed('serve', `no queue. ${remedy}`)],
  onActivate: [
    serving(`onActivate(() => { throw new Error('no'); });`),
    failed('onActivate', `no. ${remedy}`),
  ],
  onStart: [serving(`onStart(async () => { throw new Error('no'); });`), failed('onStart', `no. ${remedy}`)],
};

for (const [what, [text, sentence]] of Object.entries(whileServing)) {
  test(`${what} throws in fwk dev: the error is reported, and an edit is awaited`, async () => {
    const made = project(files(text));
    const server = await dev(made);
    await server.waitFor(new RegExp(sentence.replace(/[[\].()]/g, '\\$&')));
    const from = server.output.mark();
    made.write('lib/plugin.ts', plugin(''));
    await server.waitFor(/served|reloaded|➜|\d ms/, from);
    assert.is((await server.fetch('/api/x')).status, 200);
    assert.not.match((await server.stop()).stderr, /node:internal|dist\/bundle/);
  });
}

const inProduction = async (made: Project): Promise<Ended> => {
  assert.is((await fwk(made, 'build')).status, 0);
  return ended(start(process.execPath, ['dist/main.js'], made.root), 'production');
};
const compiled: Files = {
  'main.ts': `import { bootstrap } from 'fwkit';\nawait bootstrap({ port: 0 });\nprocess.kill(process.pid, 'SIGTERM');\n`,
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{ target: 'es2023', module: 'nodenext', rootDir: 'src', outDir: 'dist', types: ['node'] },
      ...{ noCheck: true, sourceMap: true },
    },
    include: ['src'],
  }),
};

test('a tap that throws in production ends the process with a message', async () => {
  const made = project(files(serving(`throw new Error('no queue');`), compiled));
  assertNamed(await inProduction(made), failed('serve', `no queue. ${remedy}`));
});

test('an error in onClose in production is logged, and the remaining cleanup runs', async () => {
  const text = plugin(`hooks.serve.tapPromise('jobs', async ({ project, onClose }) => {
    project.onClose(() => console.log('[closed]'));
    onClose(() => { throw new Error('still busy'); });
  });`);
  const result = await inProduction(project(files(text, compiled)));
  assertNamed(result, failed('onClose', `still busy. ${remedy}`));
  assert.match(result.stdout, '[closed]');
});

/** Shortens the time limit of 30 seconds for the callbacks of plugins. */
const impatient = `const { setTimeout: wait } = globalThis;
globalThis.setTimeout = ((run: () => void, ms: number) => wait(run, ms === 30_000 ? 50 : ms)) as typeof setTimeout;\n`;
const impatiently = { ...compiled, 'main.ts': `${impatient}${compiled['main.ts']}` };
const late = 'it has not finished after 30 seconds. Resolve its promise earlier';
for (const callback of ['onStart', 'onClose', 'project.onClose', 'runtime.onClose'])
  test(`${callback} that never finishes is reported, and the process exits with 1`, async () => {
    const text = serving(`${callback}(() => new Promise(() => {}));`);
    assertNamed(await inProduction(project(files(text, impatiently))), failed(callback, late));
  });

test('a plugin with an option drainLimit has its own limit, and a service that never ends is named', async () => {
  const text = plugin(
    `hooks.serve.tapPromise('jobs', async ({ onClose }) => onClose(() => new Promise((done) => setTimeout(done, 100))));`,
    `options: { drainLimit: { fallback: 1, expected: 'a number', accepts: Number.isInteger as never } },`,
  );
  const service = `import { service } from 'fwkit';
export default service((_ctx, { onDestroy }) => {
  onDestroy(() => new Promise(() => {}));
  return {};
});`;
  const result = await inProduction(project(files(text, { ...impatiently, 'services/a.ts': service })));
  assert.is(result.status, 0, result.stderr);
  assert.match(result.stdout, new RegExp(`onDestroy of dist/services/a.js failed.*${late}`));
});

test('a build names the plugin, too', async () => {
  const made = project(files(plugin(resolve(`throw new Error('no clock');`)), compiled));
  assertNamed(await fwk(made, 'build'), failed('resolve', `no clock. ${remedy}`));
});

for (const phase of ['resolve', 'serve']) {
  test(`a tap of ${phase} that does not return is named`, async () => {
    const text = plugin(
      `hooks.${phase}.tapPromise('jobs', () => new Promise((done) => setTimeout(done, 20_000)));`,
    );
    const made = project(files(text, compiled));
    const { child: server, output } = launch(bin('fwk'), ['dev', '--port', '0'], made.root);
    await output.waitFor(new RegExp(`Plugin "jobs": waits in ${phase} for more than 2 seconds\\.`));
    server.kill('SIGKILL');
  });
}

const saying = (more: string) => plugin('', more);
const contributions: Readonly<Record<string, readonly [text: string, command: string, sentence: string]>> = {
  types: [saying(`types() { throw new Error('no'); },`), 'types', failed('types', `no. ${remedy}`)],
  provides: [saying(`provides() { throw new Error('no'); },`), 'types', failed('provides', `no. ${remedy}`)],
  guide: [
    saying(`guide: async () => { throw new Error('no'); },`),
    'skills',
    failed('guide', `no. ${remedy}`),
  ],
  starter: [
    saying(`guide: async () => ({ starter() { throw new Error('no'); } }),`),
    'scaffold',
    failed('the starter of its guide', `no. ${remedy}`),
  ],
};

for (const [what, [text, command, sentence]] of Object.entries(contributions)) {
  test(`${what} throws in fwk ${command}`, async () => {
    assertNamed(await fwk(project(files(text)), command), sentence);
  });
}

test.run();
