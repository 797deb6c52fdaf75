import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { unsampled } from '../../harness/sample.js';
import { TSCONFIG } from '../../harness/settings.js';
import { route } from '../../harness/source.js';
import { broken, files, load, made, reload, type Team, team } from '../../harness/workers.js';

/** The app reloads between tests, so each test has its own version. */
const test = suite<{ app: Team }>('workers reload');
test.before(async (context) => {
  context.app = await team(made());
});
test.after(async ({ app }) => void (await app.stop()));

test('SIGHUP under load: no request fails, and all processes and the code are new', async ({ app }) => {
  const before = await app.pids();
  const clients = load(app.url, '/api/version');
  app.made.write('api/version.ts', route('get', '() => 2'));
  await reload(app);
  await Promise.all(before.map((pid) => app.output.waitFor(new RegExp(`\\[destroyed ${pid}\\]`))));
  const { answered, failed } = await clients.stop();
  assert.equal(failed, []);
  assert.ok(answered > 0);
  assert.is((await app.ask('/api/version')).json, 2);
  const pids = await app.pids();
  assert.is(pids.length, 2);
  assert.not.ok(pids.some((pid) => before.includes(pid)));
});

unsampled(test)('a request that runs at SIGHUP is answered', async ({ app }) => {
  const slow = app.ask('/api/slow');
  await app.output.waitFor(/\[slow began \d+\]/);
  app.made.write('api/version.ts', route('get', '() => 3'));
  await reload(app);
  app.made.write('go', '');
  assert.is((await slow).json, 'slow');
});

unsampled(test)('fwk build and SIGHUP serve the build', async () => {
  const app = project({ ...files, 'tsconfig.json': TSCONFIG }, 'ts');
  const build = async () => {
    const { status, stdout } = await fwk(app, 'build');
    assert.is(status, 0, stdout);
  };
  await build();
  const running = await team(app, 'dist/main.js');
  assert.is((await running.ask('/api/version')).json, 1);
  app.write('api/version.ts', route('get', '() => 2'));
  await build();
  assert.is((await running.ask('/api/version')).json, 1);
  await reload(running);
  assert.is((await running.ask('/api/version')).json, 2);
  assert.is((await running.stop()).status, 0);
});

test('a new version that does not boot is reported once, and the previous one continues', async ({ app }) => {
  const pids = await app.pids();
  app.made.write('api/version.ts', broken);
  app.child.kill('SIGHUP');
  await app.output.waitFor(/"The new version does not start, so the previous version keeps serving\."/);
  assert.equal(await app.pids(), pids);
  app.made.write('api/version.ts', route('get', '() => 4'));
  await reload(app);
  assert.is((await app.ask('/api/version')).json, 4);
  assert.is(app.output.stderr.match(/api\/version\.js: has no default export/g)?.length, 1);
});

unsampled(test)('a second SIGHUP gives up a new version that hangs', async ({ app }) => {
  const { stderr } = app.output;
  const told = app.made.read('services/told.ts');
  app.made.write('services/told.ts', `console.log('[hangs]');\nawait new Promise(() => {});\n`);
  app.child.kill('SIGHUP');
  await app.output.waitFor(/^\[hangs\]$/m);
  assert.is((await app.ask('/api/version')).json, 4);
  app.made.write('services/told.ts', told);
  app.made.write('api/version.ts', route('get', '() => 5'));
  await reload(app);
  assert.is((await app.ask('/api/version')).json, 5);
  assert.is((await app.stop()).status, 0);
  assert.is(app.output.stderr, stderr);
});

test.run();
