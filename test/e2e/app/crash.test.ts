import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atExit } from '../../harness/cleanup.js';
import { request } from '../../harness/http.js';
import { Output } from '../../harness/output.js';
import { main, production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { sampled, unsampled } from '../../harness/sample.js';
import { module, route, service } from '../../harness/source.js';
import { team, whoami, workersMain } from '../../harness/workers.js';

const files = {
  'fwk.config.ts': `export default { log: { access: true, format: 'text' }, http: { drainLimit: 500 } };\n`,
  ...whoami,
  'api/crash.post.ts': route('post', '() => { setTimeout(() => { throw new Error("late"); }); return 1; }'),
};
const ending = (body: string) => ({
  'services/ending.ts': service(`(ctx, { onDestroy }) => onDestroy(async () => { ${body} })`),
});

const test = suite('crash');

unsampled(test)('exits with 1 if a destructor hangs, or if the error occurs during shutdown', async () => {
  const hanging = await production({ ...files, ...ending('await new Promise(() => {});') });
  assert.is((await hanging.raw('/api/crash', { method: 'POST' })).status, 200);
  assert.is((await hanging.end).status, 1);
  const failing = await production({
    ...files,
    ...ending(
      'setTimeout(() => { throw new Error("at the end"); }); await new Promise((resolve) => setTimeout(resolve, 50));',
    ),
  });
  await failing.stop(1);
  assert.match(failing.output.stderr, /Uncaught error.*at the end/);
});

for (const where of sampled(['a disk that is full', 'a pipe that nobody reads any more']))
  test(`lines for ${where} are lost, and nothing else breaks`, async () => {
    const made = project({ ...files, 'main.ts': main().replace('console.log', 'console.error') }, 'js');
    const stdout = where.includes('disk') ? openSync('/dev/full', 'w') : 'pipe';
    const child = spawn(process.execPath, [made.path('main.ts')], {
      cwd: made.root,
      stdio: ['ignore', stdout, 'pipe'],
    });
    atExit(() => child.kill('SIGKILL'));
    child.stdout?.destroy();
    const output = new Output(child);
    const [, url = ''] = await output.waitFor(/^serves (\S+)$/m);
    const ended = once(child, 'exit');
    for (let time = 0; time < 3; time += 1) assert.is((await request(url, '/api/pid')).json, child.pid);
    child.kill('SIGTERM');
    assert.equal((await ended)[0], 0, output.all);
  });

unsampled(test)('a logger that throws or rejects does not affect responses', async () => {
  const app = await production({
    ...files,
    'services/logger.ts': module(
      'service',
      `const fail = (fields, text = '') => {
           if (text.includes('pid')) return Promise.reject(new Error('rejects'));
           throw new Error('throws');
         };
         const own = Object.fromEntries(['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((name) => [name, fail]));
         export default service(() => ({ ...own, child: () => own }), { health: () => false });`,
    ),
  });
  assert.is((await app.raw('/api/pid')).status, 200);
  assert.is((await app.raw('/readyz')).status, 503);
  assert.is((await app.raw(`/?${'x'.repeat(20_000)}`)).status, 431);
  assert.is((await app.raw('/api/pid')).json, app.child.pid);
  await app.stop();
  assert.match(
    app.output.stderr,
    /access log could not be written: rejects \(it could not be logged: throws\)/,
  );
});

test('replaces a crashed worker while another one serves, and logs the crash in the primary process', async () => {
  const app = await team(project({ 'main.ts': workersMain(), ...files }, 'js'));
  const pids = await app.pids();
  assert.is((await app.ask('/api/crash', { method: 'POST' })).json, 1);
  const [, victim] = await app.output.waitFor(/^Worker (\d+) ended with an error: it is replaced\.$/m);
  for (let now = pids; now.includes(Number(victim)) || now.length < 2; ) now = await app.pids();
  assert.ok(pids.includes(Number(victim)));
  assert.is((await app.stop()).status, 0);
});

test.run();
