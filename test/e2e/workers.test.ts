import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { connect } from '../harness/http.js';
import { type Files, project } from '../harness/project.js';
import { TSCONFIG } from '../harness/settings.js';
import { module, route } from '../harness/source.js';
import { load, run, team, whoami, workersMain } from '../harness/workers.js';

// bootstrap({ workers }): several processes serve one app; one starts, replaces and ends them.

const test = suite('workers');

const files: Files = {
  'main.ts': workersMain(),
  ...whoami,
  'api/version.ts': route('get', '() => 1'),
  'services/told.ts': module(
    'service',
    `export default service((ctx, { onDestroy }) => {
       console.log('[made ' + process.pid + ']');
       onDestroy(() => console.log('[destroyed ' + process.pid + ']'));
       return {};
     });`,
  ),
  // Answers when it is told to, over a file: no signal reaches a worker.
  'api/slow.ts': module(
    'get',
    `import { existsSync, watch } from 'node:fs';
     export default get(async () => {
       const done = new Promise((resolve) => {
         const look = () => existsSync('go') && resolve(watcher.close());
         const watcher = watch('.', look);
         look();
       });
       console.log('[slow began ' + process.pid + ']');
       await done;
       return 'slow';
     });`,
  ),
};
const made = (more: Files = {}) => project({ ...files, ...more }, 'js');
const broken = 'export const none = 1;\n';

/** Sends SIGHUP and waits until new ones serve. */
async function reload({ child, output }: Awaited<ReturnType<typeof team>>) {
  const from = output.mark();
  child.kill('SIGHUP');
  await output.waitFor(/^Reloaded: \d+ new workers serve\.$/m, from);
}

test('all answer, what follows bootstrap() runs once, and each disposes of its services', async () => {
  const app = await team(made());
  const pids = await app.pids();
  assert.is(pids.length, 2);
  assert.not.ok(pids.includes(app.child.pid ?? 0));
  const { status, stdout, stderr } = await app.stop();
  assert.is(status, 0);
  assert.is(stderr, '');
  assert.is(stdout.match(/^serves /gm)?.length, 1);
  assert.equal(stdout.match(/\[destroyed \d+\]/g)?.sort(), pids.map((pid) => `[destroyed ${pid}]`).sort());
});

for (const [signal, ending] of [
  ['SIGKILL', 'SIGKILL'],
  ['SIGTERM', '0'],
] as const) {
  test(`a worker that gets ${signal} is replaced, and no later request fails`, async () => {
    const app = await team(made());
    const [victim = 0, other = 0] = await app.pids();
    const from = app.output.mark();
    process.kill(victim, signal);
    const line = `^Worker ${victim} ended with ${ending}: another one takes its place\\.$`;
    await app.output.waitFor(new RegExp(line, 'm'));
    assert.ok((await app.pids()).includes(other));
    await app.output.waitFor(/\[made \d+\]/, from);
    let pids: number[] = [];
    while (pids.length < 2) pids = await app.pids();
    assert.ok(pids.includes(other) && !pids.includes(victim));
    assert.is((await app.stop()).status, 0);
  });
}

test('SIGHUP under load: no request fails, all processes are new, and so is the code', async () => {
  const app = await team(made());
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
  assert.is((await app.stop()).status, 0);
});

test('a request that runs at SIGHUP, and a connection that idles, are answered by the code that they came to', async () => {
  const app = await team(made());
  const idle = await connect(app.url);
  idle.send('GET /api/version HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(await idle.read(/\r\n\r\n1$/), /keep-alive/);
  const slow = app.ask('/api/slow');
  await app.output.waitFor(/\[slow began \d+\]/);
  app.made.write('api/version.ts', route('get', '() => 2'));
  await reload(app);
  idle.send('GET /api/version HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(await idle.rest(), /Connection: close[\s\S]*\r\n\r\n1$/);
  app.made.write('go', '');
  assert.is((await slow).json, 'slow');
  assert.is((await app.stop()).status, 0);
});

test('fwk build and SIGHUP serve what was built', async () => {
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

test('a new version that does not boot is told once, and the one before goes on', async () => {
  const app = await team(made());
  const pids = await app.pids();
  app.made.write('api/version.ts', broken);
  app.child.kill('SIGHUP');
  await app.output.waitFor(/^The new version does not boot: the one before goes on serving\.$/m);
  assert.equal(await app.pids(), pids);
  app.made.write('api/version.ts', route('get', '() => 3'));
  await reload(app);
  assert.is((await app.ask('/api/version')).json, 3);
  const { status, stderr } = await app.stop();
  assert.is(status, 0);
  assert.is(stderr.match(/api\/version\.js: has no default export/g)?.length, 1);
});

test('a second SIGHUP gives up a new version that hangs', async () => {
  const app = await team(made());
  const told = app.made.read('services/told.ts');
  app.made.write('services/told.ts', `console.log('[hangs]');\nawait new Promise(() => {});\n`);
  app.child.kill('SIGHUP');
  await app.output.waitFor(/^\[hangs\]$/m);
  assert.is((await app.ask('/api/version')).json, 1);
  app.made.write('services/told.ts', told);
  app.made.write('api/version.ts', route('get', '() => 4'));
  await reload(app);
  assert.is((await app.ask('/api/version')).json, 4);
  const { status, stderr } = await app.stop();
  assert.is(status, 0);
  assert.is(stderr, '');
});

test('a shutdown lets running requests end', async () => {
  const app = await team(made());
  const slow = app.ask('/api/slow');
  await app.output.waitFor(/\[slow began \d+\]/);
  const idle = await connect(app.url);
  app.child.kill('SIGTERM');
  await idle.rest();
  assert.ok(
    (await app.ask('/api/version').catch((cause) => cause)) instanceof Error,
    'nothing new is accepted',
  );
  app.made.write('go', '');
  assert.is((await slow).json, 'slow');
  assert.is((await app.end).status, 0);
});

test('what never ends is cut off at the limit, with status 1', async () => {
  const config = module('defineConfig', 'export default defineConfig({ http: { drainLimit: 200 } });');
  const app = await team(made({ 'fwk.config.ts': config }));
  const slow = app.ask('/api/slow').catch((cause: Error) => cause);
  await app.output.waitFor(/\[slow began \d+\]/);
  app.child.kill('SIGINT');
  assert.is((await app.end).status, 1);
  assert.ok((await slow) instanceof Error);
});

test('a second signal ends everything at once', async () => {
  const app = await team(made());
  const slow = app.ask('/api/slow').catch((cause: Error) => cause);
  await app.output.waitFor(/\[slow began \d+\]/);
  const idle = await connect(app.url);
  app.child.kill('SIGTERM');
  await idle.rest();
  app.child.kill('SIGTERM');
  assert.is((await app.end).status, 143);
  assert.ok((await slow) instanceof Error);
});

for (const [what, more, env, sentence] of [
  ['a broken convention', { 'api/bad.ts': broken }, [], 'api/bad.js: has no default export.'],
  [
    'a number of workers that is none',
    { 'main.ts': workersMain('workers: 0') },
    [],
    'workers is "auto" or a whole number of at least 1, not 0. Set it to one.',
  ],
  [
    'a WEB_CONCURRENCY that is none',
    { 'main.ts': workersMain(`workers: 'auto'`) },
    ['WEB_CONCURRENCY=two'],
    'WEB_CONCURRENCY is a whole number of at least 1, not "two". Set it to one.',
  ],
  [
    'an entry file that ends',
    {
      'main.ts': workersMain(
        'workers: 2',
        `import cluster from 'node:cluster';\nif (cluster.isWorker) process.exit(0);`,
      ),
    },
    [],
    'The first worker ended with 0 before it served. Nothing else is started.',
  ],
] as const) {
  test(`${what} is told once, and ends all with status 1`, async () => {
    const { status, stdout, stderr } = await run(made(more), 'main.js', env).end;
    assert.is(status, 1);
    assert.is(stderr.split(sentence).length, 2, stderr);
    assert.is(stderr.trim().split('\n').length, 1, stderr);
    assert.not.match(stdout, /^serves /m);
  });
}

test('workers that die as soon as they serve end all with a sentence', async () => {
  const app = await team(made({ 'api/die.ts': route('get', '() => process.exit(7)') }));
  // The successors find the file and do not get as far as to listen.
  app.made.write('services/told.ts', 'process.exit(7);\n');
  await app.ask('/api/die').catch(() => {});
  const { status, stderr } = await app.end;
  assert.is(status, 1);
  const sentence =
    /^Workers end as soon as they begin, 5 times in a row, the last one with 7: mend what they print\.$/gm;
  assert.is(stderr.match(sentence)?.length, 1, stderr);
});

test('WEB_CONCURRENCY says how many "auto" is', async () => {
  const app = await team(made({ 'main.ts': workersMain(`workers: 'auto'`) }), 'main.js', [
    'WEB_CONCURRENCY=3',
  ]);
  assert.is((await app.pids(6)).length, 3);
  assert.is((await app.stop()).status, 0);
});

test.run();
