import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { linkLibraries } from '../harness/libraries.js';
import { project } from '../harness/project.js';
import { redisServer, withRedis } from '../harness/redis.js';
import { MAIN, production } from '../harness/settings.js';
import { assertEachSecondOnce, EACH_SECOND, nextTicks, telling, ticksIn } from './ticks.js';

/** How long five machines run one job; a person may want a minute. */
const SECONDS = Number(process.env.FWK_CRON_SECONDS ?? 4);
/** By how many seconds the clocks of the machines are wrong. */
const CLOCKS = [-3, 0, 0, 0, 3];
const APART = 6;

/** Debian's faketime sets the clock of a process but not its monotonic clock. */
function faketime(): string | undefined {
  if (!existsSync('/usr/lib')) return undefined;
  return readdirSync('/usr/lib')
    .map((folder) => path.join('/usr/lib', folder, 'faketime/libfaketime.so.1'))
    .find((file) => existsSync(file));
}

const library = faketime();
if (library === undefined)
  console.log('Clocks are alike in this test: there is no faketime on this machine.');

const test = suite('@fwkit/cron with Redis');
/** Ends processes that a failed test left. */
const ends: (() => void)[] = [];
test.after(() => {
  for (const end of ends) end();
});

const FILES = {
  'main.ts': MAIN,
  'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
  'fwk.config.ts': `import { cron } from '@fwkit/cron';
import { redis } from '@fwkit/redis';
import { createClient } from '@redis/client';
import { defineConfig } from 'fwkit';
export default defineConfig({
  plugins: [redis({ client: () => createClient({ url: process.env.REDIS_URL }) }), cron()],
  redis: { lease: 1_000 },
});
`,
  'cron/tick.ts': telling('tick', EACH_SECOND),
};

test('five machines whose clocks differ run each job once, and one that hangs or dies is replaced', async () => {
  const redis = await redisServer();
  ends.push(() => void redis.kill());
  const made = project(
    {
      ...FILES,
      'cron/long.ts': `import { existsSync } from 'node:fs';
import { job } from '@fwkit/cron';
export default job('*/10 * * * * *', async (ctx, { at, token, signal }) => {
  if (!existsSync('armed')) return;
  console.log(['[long 1', at.getTime(), token, process.pid + ']'].join(' '));
  for (let step = 0; step < 25; step += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (signal.aborted) console.log('[lost ' + token + ']');
    signal.throwIfAborted();
  }
  console.log('[kept ' + token + ']');
});
`,
    },
    'js',
  );
  linkLibraries(made, '@redis/client');
  const start = async (seconds: number) => {
    const clock = [
      `LD_PRELOAD=${library}`,
      `FAKETIME=${seconds < 0 ? '' : '+'}${seconds}s`,
      'FAKETIME_DONT_FAKE_MONOTONIC=1',
    ];
    const variables = [`REDIS_URL=${redis.url}`, ...(library === undefined ? [] : clock)];
    const app = await production(made, 'main.js', process.execPath, variables);
    ends.push(() => app.child.kill('SIGKILL'));
    return app;
  };
  const apps = await Promise.all(CLOCKS.map(start));
  const told = () => apps.map(({ output }) => output.all).join('');
  const seen = (name: string) => ticksIn(told(), name).sort((a, b) => a.token - b.token);
  /** Resolves with the first match in any of the outputs. */
  const until = async <T>(look: () => T | undefined): Promise<T> => {
    for (const limit = Date.now() + (SECONDS + 30) * 1_000; Date.now() < limit; await sleep(20)) {
      const found = look();
      if (found !== undefined) return found;
    }
    throw new Error(`It was not told of in time:\n${told()}`);
  };

  // Ticks after the slower clock's time need not have run yet.
  const newest = () => Math.max(0, ...seen('tick').map(({ at }) => at));
  const begun = await until(() => newest() || undefined);
  const counted = await until(() =>
    newest() > begun + (APART + SECONDS) * 1_000 ? newest() - (APART + 1) * 1_000 : undefined,
  );
  const ticks = seen('tick')
    .filter(({ at }) => at <= counted)
    .sort((a, b) => a.at - b.at);
  assertEachSecondOnce(ticks);
  assert.ok(ticks.length > SECONDS);
  console.log(
    `${ticks.length} runs by ${new Set(ticks.map(({ pid }) => pid)).size} of ${apps.length} processes`,
  );

  made.write('armed', '');
  const runs = (count: number) =>
    until(() => {
      const all = seen('long');
      return all.length >= count ? all[count - 1] : undefined;
    });
  const stopped = await runs(1);
  process.kill(stopped.pid, 'SIGSTOP');
  const killed = await runs(2);
  process.kill(stopped.pid, 'SIGCONT');
  await until(() => (told().includes(`[lost ${stopped.token}]`) ? true : undefined));
  process.kill(killed.pid, 'SIGKILL');
  const last = await runs(3);
  await until(() => (told().includes(`[kept ${last.token}]`) ? true : undefined));
  made.remove('armed');
  assert.equal(
    [killed, last].map(({ at }) => at),
    [stopped.at, stopped.at],
  );
  assert.is.not(killed.pid, stopped.pid);
  assert.is.not(last.pid, killed.pid);

  const before = seen('tick').length;
  await until(() => (seen('tick').length > before + 1 ? true : undefined));
  assert.is(seen('long').length, 3);
  for (const { child } of apps) child.kill('SIGTERM');
  for (const { child, end } of apps) assert.is((await end).status, child.pid === killed.pid ? 'SIGKILL' : 0);
  await redis.stop();
});

test('logs once that Redis refuses writes, and continues afterwards, also after the clock was set back', async () => {
  const redis = await redisServer();
  ends.push(() => void redis.kill());
  const made = project(FILES, 'js');
  linkLibraries(made, '@redis/client');
  made.write('clock', '+0');
  const clock = [
    `LD_PRELOAD=${library}`,
    `FAKETIME_TIMESTAMP_FILE=${path.join(made.root, 'clock')}`,
    'FAKETIME_NO_CACHE=1',
    'FAKETIME_DONT_FAKE_MONOTONIC=1',
  ];
  const variables = [`REDIS_URL=${redis.url}`, ...(library === undefined ? [] : clock)];
  const app = await production(made, 'main.js', process.execPath, variables);
  ends.push(() => app.child.kill('SIGKILL'));
  const cli = (...args: readonly string[]) =>
    execFileSync('redis-cli', ['-p', String(redis.port), ...args], { encoding: 'utf8' });
  await nextTicks(app.output, 1);
  cli('CONFIG', 'SET', 'min-replicas-to-write', '1');
  const refused = () => Number(/NOREPLICAS:count=(\d+)/.exec(cli('INFO', 'errorstats'))?.[1] ?? 0);
  for (const limit = Date.now() + 30_000; refused() < 8; await sleep(50)) assert.ok(Date.now() < limit);
  assert.is(app.output.all.match(/The jobs in cron\/ wait/g)?.length, 1, app.output.all);
  cli('CONFIG', 'SET', 'min-replicas-to-write', '0');
  const [first] = await nextTicks(app.output, 2);
  made.write('clock', '-600s');
  if (library === undefined) return;
  await nextTicks(app.output, 1);
  const later = await nextTicks(app.output, 2);
  assert.ok(later.every(({ at }) => at < (first?.at ?? 0)));
  app.child.kill('SIGTERM');
  assert.is((await app.end).status, 0);
  await redis.stop();
});

test('a run that was due while no process was there is made up for, and a new job has none to make up for', async () => {
  const redis = await redisServer();
  ends.push(() => void redis.kill());
  const made = project({ ...FILES, 'cron/slow.ts': telling('slow', '*/4 * * * * *') }, 'js');
  linkLibraries(made, '@redis/client');
  const serve = () => production(made, 'main.js', process.execPath, [`REDIS_URL=${redis.url}`]);
  const first = await serve();
  const [{ at } = { at: 0 }] = await nextTicks(first.output, 1, 'slow');
  assert.ok(at > Date.now() - 3_500, 'a new job');
  await first.stop();
  await sleep(at + 4_500 - Date.now());
  const second = await serve();
  const servesAt = Date.now();
  const [missed] = await nextTicks(second.output, 1, 'slow');
  // Not necessarily the first one: a busy machine may have started the process late.
  assert.ok(missed && missed.at > at && missed.at <= servesAt, 'a missed run');
  const [next] = await nextTicks(second.output, 1, 'slow');
  assert.ok(next && next.at > servesAt, 'one run is made up for');
  await second.stop();
});

const tests = withRedis(test);
tests.run();
