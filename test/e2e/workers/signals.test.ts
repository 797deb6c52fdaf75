import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { route } from '../../harness/source.js';
import { broken, load, made, reload, run, team, workersMain } from '../../harness/workers.js';

const test = suite('workers signals');

const alone = { 'main.ts': workersMain('workers: 1') };

test('the only worker serves after SIGTERM until its successor does', async () => {
  const app = await team(made(alone));
  const [victim = 0] = await app.pids();
  const clients = load(app.url, '/api/version');
  process.kill(victim, 'SIGTERM');
  const [, successor] = await app.output.waitFor(
    new RegExp(`"Worker ${victim} was asked to end: (\\d+) replaces it\\."`, 'm'),
  );
  await app.output.waitFor(new RegExp(`\\[destroyed ${victim}\\]`));
  const { answered, failed } = await clients.stop();
  assert.equal(failed, []);
  assert.ok(answered > 0);
  assert.equal(await app.pids(), [Number(successor)]);
  const { status, stderr } = await app.stop();
  assert.is(status, 0);
  assert.is(stderr, '');
});

test('it continues if no successor boots, until a second SIGTERM', async () => {
  const app = await team(made(alone));
  const [victim = 0] = await app.pids();
  app.made.write('services/broken.ts', broken);
  process.kill(victim, 'SIGTERM');
  await app.output.waitFor(
    new RegExp(
      `"Worker ${victim} received a signal to end, but its replacement does not start, so the worker keeps serving\\.`,
      'm',
    ),
  );
  assert.equal(await app.pids(), [victim]);
  app.made.remove('services/broken.ts');
  process.kill(victim, 'SIGTERM');
  await app.output.waitFor(new RegExp(`"Worker ${victim} ended with 0: it is replaced\\."`, 'm'));
  assert.is((await app.stop()).status, 0);
});

test('SIGTERM without a running worker exits with 0', async () => {
  const app = await team(made({ ...alone, 'api/die.ts': route('get', '() => process.exit(7)') }));
  // The successor does not get as far as to serve.
  app.made.write(
    'services/told.ts',
    `console.log('[hangs]');\nawait new Promise((resolve) => setTimeout(resolve, 60_000));\n`,
  );
  await app.ask('/api/die').catch(() => {});
  await app.output.waitFor(/^\[hangs\]$/m);
  assert.is((await app.stop()).status, 0);
});

for (const [what, line, ending, status] of [
  ['exits with a status', 'process.exit(7)', '7', 7],
  ['is ended', `process.kill(process.pid, 'SIGKILL')`, 'SIGKILL', 1],
] as const)
  test(`a first worker that ${what} before it serves is reported`, async () => {
    const before = `import cluster from 'node:cluster';\nif (cluster.isWorker) ${line};`;
    const ran = await run(made({ 'main.ts': workersMain('workers: 2', before) })).end;
    assert.is(ran.status, status);
    assert.is(
      ran.stderr.trim(),
      `The first worker ended with ${ending} before it served requests. The app does not start any other workers.`,
    );
  });

test('a partial request head does not delay a worker that is being replaced', async () => {
  const app = await team(made(alone));
  const half = await connect(app.url);
  half.send('GET /api/version HTTP/1.1\r\nHo');
  const [pid = 0] = await app.pids();
  const begun = performance.now();
  await reload(app);
  await app.output.waitFor(new RegExp(`\\[destroyed ${pid}\\]`));
  assert.ok(performance.now() - begun < 9_000, `${performance.now() - begun} ms`);
  assert.match(await half.rest(), /^HTTP\/1\.1 408 /);
  assert.is((await app.stop()).status, 0);
});

test.run();
