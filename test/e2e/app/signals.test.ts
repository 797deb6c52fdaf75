import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch, spawnDev } from '../../harness/fwk.js';
import { connect } from '../../harness/http.js';
import { bin } from '../../harness/installed.js';
import { type Files, project } from '../../harness/project.js';
import { MAIN, production } from '../../harness/settings.js';
import { route, service } from '../../harness/source.js';

/** As root, or as root of a user namespace. */
const WAYS = [[], ['--user', '--map-root-user']].map((more) => [...more, '--pid', '--fork', '--mount-proc']);

/** The prefix that runs a command as process 1, as in a container; undefined if that is not permitted. */
function processOne(): readonly string[] | undefined {
  const way = WAYS.find((flags) => spawnSync('unshare', [...flags, 'true']).status === 0);
  return way && ['unshare', '--kill-child', ...way];
}

/** The outer process id of the process that `unshare` started. */
const inside = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

const test = suite('signals');

const files: Files = {
  'main.ts': MAIN,
  'services/told.ts': service(
    `(ctx, { onDestroy }) => { onDestroy(() => console.log('[destroyed]')); return {}; }`,
  ),
  'api/quick.ts': route('get', '() => "quick"'),
  'api/slow.ts': route(`async () => {
       const told = new Promise((resolve) => process.once('SIGUSR2', resolve));
       console.log('[slow began]');
       await told;
       return 'slow';
     }`),
};
const hanging: Files = {
  'services/hangs.ts': service(`async () => {
       console.log('[boots]');
       await new Promise((resolve) => setTimeout(resolve, 60_000));
       return {};
     }`),
};
const workers: Files = { 'main.ts': MAIN.replace('bootstrap()', 'bootstrap({ workers: 2 })') };
const servers: readonly (readonly [string, Files, readonly string[]])[] = [
  ['node main.js', {}, [process.execPath, 'main.js']],
  ['node main.js with workers', workers, [process.execPath, 'main.js']],
  ['fwk dev', {}, [bin('fwk'), 'dev', '--port', '0']],
];

const unshare = processOne();
if (!unshare) console.log('No process may become process 1 here (unshare --pid): those tests are skipped.');
const asProcessOne = unshare ? test : test.skip;

for (const [what, more, command] of servers) {
  const run = (more: Files, before: readonly string[]) => {
    const made = project({ ...files, ...more }, 'js');
    return launch('/usr/bin/env', ['PORT=0', 'HOST=127.0.0.1', ...before, ...command], made.root);
  };

  test(`${what}: SIGINT during boot ends the process`, async () => {
    const { child, output, end } = run({ ...more, ...hanging }, []);
    await output.waitFor(/^\[boots\]$/m);
    child.kill('SIGINT');
    assert.is((await end).status, 130);
  });

  asProcessOne(`${what}: SIGTERM during boot ends it, also as process 1`, async () => {
    const { child, output, end } = run({ ...more, ...hanging }, unshare ?? []);
    await output.waitFor(/^\[boots\]$/m);
    process.kill(inside(child.pid ?? 0), 'SIGTERM');
    assert.is((await end).status, 143);
  });

  asProcessOne(`${what}: as process 1, it exits with 0 after it serves`, async () => {
    const { child, output, end } = run(more, unshare ?? []);
    await output.waitFor(/http:\/\/\S+:\d+/);
    process.kill(inside(child.pid ?? 0), 'SIGTERM');
    const { status, stdout } = await end;
    assert.is(status, 0);
    assert.match(stdout, '[destroyed]');
  });
}

test('without workers, SIGHUP lets requests finish as SIGTERM does', async () => {
  const { child, output, end, url } = await production(project(files, 'js'), 'main.js');
  const slow = fetch(`${url}/api/slow`).then((response) => response.json());
  await output.waitFor(/\[slow began\]/);
  child.kill('SIGHUP');
  // A shell sends the signal again.
  child.kill('SIGHUP');
  child.kill('SIGUSR2');
  assert.is(await slow, 'slow');
  const { status, stdout } = await end;
  assert.is(status, 0);
  assert.match(stdout, '[destroyed]');
});

test('SIGHUP ends fwk dev as SIGTERM does', async () => {
  const server = await spawnDev(project(files, 'js'));
  assert.match((await server.stop('SIGHUP')).stdout, '[destroyed]');
});

test('fwk dev aborts a request that does not end', async () => {
  const server = await spawnDev(project(files, 'js'));
  server.fetch('/api/slow').catch(() => {});
  await server.waitFor(/\[slow began\]/);
  const outcome = await server.stop('SIGINT').then(
    () => 'ended with 0',
    ({ message }: Error) => message,
  );
  assert.match(outcome, 'fwk dev ended with 1:');
  assert.match(outcome, 'Requests that did not end within 2 seconds were aborted.');
});

/** A service that logs its creation and its end; `before` reads its dependencies. */
const ordered = (name: string, before: string) =>
  service(`async (ctx, { onDestroy }) => {
       ${before}
       console.log('[make ${name}]');
       onDestroy(() => console.log('[destroy ${name}]'));
       return {};
     }`);

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  test(`on ${signal}, fwk dev finishes running requests and destroys singletons in reverse order`, async () => {
    const made = project({
      ...files,
      'services/pool.ts': ordered('pool', 'await new Promise(setImmediate);'),
      'services/a-repo.ts': ordered('a-repo', 'ctx.pool;'),
      'services/zRepo.ts': ordered('zRepo', 'await ctx.pool;'),
    });
    const server = await spawnDev(made);
    const slow = server.fetch('/api/slow').then((response) => response.json());
    await server.waitFor(/\[slow began\]/);
    // A browser opens such connections ahead of its requests. Answered: the server has seen the connection before.
    const idle = await connect(server.url);
    assert.is((await server.fetch('/api/nowhere')).status, 404);
    const end = server.stop(signal);
    // The signal has been heard when the idle connection is closed.
    await idle.rest();
    await server.stop('SIGUSR2');
    assert.is(await slow, 'slow');
    const { stdout } = await end;
    const names = (word: string) =>
      [...stdout.matchAll(new RegExp(`\\[${word} (\\S+)\\]`, 'g'))].map((match) => match[1]);
    assert.equal([...names('make')].sort(), ['a-repo', 'pool', 'zRepo']);
    assert.equal(names('destroy'), names('make').reverse());
  });

test.run();
