import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../harness/fwk.js';
import { redisServer, withRedis } from '../harness/redis.js';
import { route } from '../harness/source.js';
import { add, config, ends, MAIL, printed, shop, until } from './queue-project.js';

const test = suite('@fwkit/queue in fwk dev');

test('300 jobs through 60 saves run once each; a deleted consumer ends, and its jobs wait', async () => {
  const redis = await redisServer();
  const made = shop({ 'fwk.config.ts': config().replaceAll('process.env.REDIS_URL', `'${redis.url}'`) });
  const server = await dev(made);
  const mail = (version: number) => MAIL.replace("'[begin ' + to", `'[begin v${version} ' + to`);
  let isOver = false;
  let saves = 0;
  const saving = (async () => {
    for (; !isOver || saves < 60; await pause(30)) {
      saves += 1;
      made.write('queues/mail.ts', mail(saves));
    }
  })();
  for (let n = 0; n < 300; n += 1) {
    const { status } = await add(server.url, [{ to: `s${n}`, ms: n % 20 }]);
    assert.is(status, 200);
  }
  const done = () => ends(server.output);
  await until(
    () => done().length >= 300,
    () => `${done().length} of 300 done\n${server.output.all.slice(-2_000)}`,
  );
  isOver = true;
  await saving;
  assert.ok(saves >= 60, `${saves}`);
  assert.is(new Set(done()).size, 300);
  assert.is(printed(server.output, 'begin').length, 300);
  const versions = new Set(printed(server.output, 'begin').map((text) => text.split(' ')[0]));
  assert.ok(versions.size > 10, `${versions.size} versions did jobs`);

  // Its jobs wait while other queues continue.
  let from = server.output.mark();
  made.write('queues/other.ts', mail(0).replace("'[begin v0 '", "'[begin other '"));
  await server.waitFor(/reloaded [^\n]*other/, from);
  assert.is((await add(server.url, [{ to: 'waits' }, { delay: 400 }])).status, 200);
  from = server.output.mark();
  made.remove('queues/mail.ts');
  await server.waitFor(/reloaded[^\n]*mail/, from);
  made.write(
    'api/other.get.ts',
    route('get', "(req, res, ctx) => ctx.queues.other.add({ to: 'o' }, { delay: 500 })"),
  );
  await server.waitFor(/reloaded[^\n]*other\.get/, from);
  assert.is((await server.fetch('/api/other')).status, 200);
  await server.waitFor(/^\[end o\]$/m);
  assert.not.match(server.output.stdout, '[begin v0 waits');
  made.write('queues/mail.ts', mail(9_999));
  await server.waitFor(/^\[begin v9999 waits 1\]$/m);
  await server.waitFor(/^\[end waits\]$/m);
  await server.stop();
  await redis.stop();
  assert.is(done().length, 302);
});

const tests = withRedis(test);
tests.run();
