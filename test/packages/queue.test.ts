import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../harness/free-port.js';
import { ended, fwk, start } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { build } from '../harness/settings.js';
import { route } from '../harness/source.js';
import { ADD, config, MAIL, shop } from './queue-project.js';

const test = suite('@fwkit/queue');

test('routes, types and build do not connect, and they list the queues', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const port = await freePort();
  server.listen(port, '127.0.0.1').unref();
  const made = shop(
    {
      'fwk.config.ts': config().replaceAll('process.env.REDIS_URL', `'redis://127.0.0.1:${port}'`),
      'queues/billing/send-invoices.ts': MAIL,
    },
    'ts',
  );
  const [routes, types] = await Promise.all([fwk(made, 'routes'), fwk(made, 'types')]);
  assert.is(routes.status, 0, routes.stderr);
  assert.match(routes.stdout, /^QUEUE mail$/m);
  assert.match(routes.stdout, /^QUEUE billingSendInvoices$/m);
  assert.is(types.status, 0, types.stderr);
  assert.match(made.read('.fwk/types.d.ts'), /"mail": import\('@fwkit\/queue'\)\.ProducerOf</);
  await build(made);
  server.close();
  assert.is(connections, 0);
});

test('an unavailable broker at startup is reported in one sentence with exit code 1', async () => {
  const port = await freePort();
  const refused = await Promise.all(
    ['ioredis', '@redis/client'].map((client) => {
      const made = shop({ 'fwk.config.ts': config(client) });
      const args = [`REDIS_URL=redis://127.0.0.1:${port}`, 'PORT=0', process.execPath, 'main.js'];
      return ended(start('/usr/bin/env', args, made.root), client);
    }),
  );
  for (const { status, stderr } of refused) {
    assert.is(status, 1, stderr);
    const sentence = `The broker of queues() cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}. Start the broker, or correct the address in queues({ connection }) in fwk.config.\n`;
    assert.ok(stderr.endsWith(`FWK831 ${sentence}Read more: npx fwk docs FWK831\n`), stderr);
    assert.not.match(stderr, '    at ');
  }
});

test('all mistakes are reported at once, with their file', async () => {
  const wrong = shop({
    'fwk.config.ts': config('ioredis', "{ lease: 'long', adlimit: 1 }"),
  });
  const { status, stderr } = await fwk(wrong, 'routes');
  assert.is(status, 1);
  assert.match(stderr, '"queues.lease" must be a whole number of milliseconds, at least 200');
  assert.match(stderr, 'has an unknown key "queues.adlimit". Did you mean "addLimit"?');

  const text = (options: string) => MAIL.replace('concurrency: 4', options);
  const files = await fwk(
    shop({
      'queues/a.ts': 'export default 5;\n',
      'queues/b.ts': text('attempts: 0'),
      'queues/c.ts': text('retries: 5'),
      'queues/d.ts': "import { queue } from '@fwkit/queue';\nexport default queue({});\n",
      'queues/e-f.ts': MAIL,
      'queues/e/f.ts': MAIL,
    }),
    'routes',
  );
  assert.is(files.status, 1);
  const sentences = [
    'queues/a.js: does not export a queue. Write export default queue(async (data, ctx, job) => …)',
    'The options object of queue() has attempts: 0. Make it a whole number of attempts, at least 1.',
    'The options object of queue() has "retries", which is not an option (attempts, backoff, concurrency,',
    'queue() needs a function that runs a job',
    'defines ctx.queues.eF, and so does queues/e-f.js. Rename one of them.',
  ];
  for (const sentence of sentences) assert.match(files.stderr, sentence);

  const none = shop({ 'fwk.config.ts': config().replace('connection,', 'connection: 5,') });
  assert.match(
    (await fwk(none, 'routes')).stderr,
    'fwk.config: queues({ connection }) must be a function that creates a client',
  );
});

test('a test app does not connect, and does jobs on request', async () => {
  const made = shop({
    'services/mailer.ts': `import { service } from 'fwkit';
export default service(() => ({ sent: [] }));`,
    'di/user.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: (ctx, { onDestroy, req }) => { onDestroy(() => ctx.mailer.sent.push('closed')); return { req }; } });`,
    'queues/mail.ts': `import { queue } from '@fwkit/queue';
export default queue(async (data, ctx, job) => {
  if (data.to === 'nobody') throw new RangeError('to nobody');
  if (data.to === 'later') job.retryIn(1);
  if (data.to === 'counted') return 7;
  if (data.to === 'ada') await ctx.queues.mail.add({ to: 'bob' }, { id: 'b:1' });
  ctx.mailer.sent.push([data.to, job.id, job.attempt, job.signal.aborted, ctx.user.req]);
});`,
    'test.mjs': `import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { testQueues } from '@fwkit/queue/testing';
import { createTestApp } from 'fwkit/testing';
const told = [];
for (const what of ['start', 'end', 'error'])
  subscribe('fwk.job.' + what, ({ queue, id, attempt, error }) => told.push([what, queue, id, attempt, error?.name]));
const app = await createTestApp();
const jobs = testQueues(app);
const answer = await app.post('/api/add', [[{ to: 'ada' }, { delay: 5 }], [{ to: 'ada' }, { id: 'a' }], [{ to: 'eve' }, { id: 'a' }]]);
assert.deepEqual(await answer.json(), ['1', 'a', 'a']);
assert.deepEqual(jobs.waiting.map(({ queue, data, id, delay, attempts }) => [queue, data.to, id, delay, attempts]), [['mail', 'ada', '1', 5, 3], ['mail', 'ada', 'a', 0, 3]]);
await jobs.run();
const { sent } = app.ctx.mailer;
assert.deepEqual(sent, [['ada', '1', 1, false, undefined], 'closed', ['ada', 'a', 1, false, undefined], 'closed', ['bob', 'b:1', 1, false, undefined], 'closed']);
assert.deepEqual(told.slice(0, 2), [['start', 'mail', '1', 1, undefined], ['end', 'mail', '1', 1, undefined]]);
await app.ctx.queues.mail.add({ to: 'nobody' });
await assert.rejects(jobs.run(), RangeError);
assert.deepEqual(told.slice(-3), [['start', 'mail', '2', 1, undefined], ['error', 'mail', '2', 1, 'RangeError'], ['end', 'mail', '2', 1, 'RangeError']]);
await app.ctx.queues.mail.add({ to: 'later' }, { id: 'late' });
const counted = await app.ctx.queues.mail.add({ to: 'counted' });
const [seven] = await Promise.all([app.ctx.queues.mail.waitUntilFinished(counted), jobs.run()]);
assert.equal(seven, 7);
assert.deepEqual(jobs.waiting.map(({ id }) => id), ['late']);
assert.equal((await app.ctx.queues.mail.getJob('2')).failedReason, 'to nobody');
const refused = (data, options, message) => assert.throws(() => app.ctx.queues.mail.add(data, options), { name: 'TypeError', message });
const loop = {};
loop.self = loop;
refused({ at: new Date() }, {}, /data\\.at is a Date, which JSON cannot represent/);
refused({ list: [1, { n: NaN }] }, {}, /data\\.list\\[1\\]\\.n is NaN/);
refused([undefined], {}, /data\\[0\\] is undefined/);
refused({ f() {} }, {}, /data\\.f is a function/);
refused({ big: 1n }, {}, /data\\.big is a bigint/);
refused(loop, {}, /data\\.self contains itself/);
refused({ text: 'x'.repeat(17 << 20) }, {}, /the data has 17825803 bytes as JSON, and the limit is 16777216/);
refused({}, { delay: -1 }, /mail\\.add\\(\\) has delay: -1\\. Make it a whole number of milliseconds, at least 0/);
refused({}, { priority: 0 }, /has priority: 0\\. Make it a whole number from 1/);
refused({}, { id: 7 }, /has id: 7\\. Make it a non-empty string/);
refused({}, { delays: 1 }, /has "delays", which is not an option \\(id, delay, attempts, priority/);
await app.close();
const bull = Object.keys((await import('node:module')).Module._cache ?? {}).filter((file) => file.includes('bullmq'));
assert.deepEqual(bull, []);
console.log('all well');`,
  });
  const { status, stdout, stderr } = await ended(
    start(process.execPath, ['test.mjs'], made.root),
    'test.mjs',
  );
  assert.is(status, 0, stderr);
  assert.match(stdout, 'all well');
});

test('breaks no law of plugins, and if disabled, ctx.queues does not exist', async () => {
  const laws = project({
    'laws.mjs': `import { queues } from '@fwkit/queue';
import { testPlugin } from 'fwkit/testing';
await testPlugin(queues({ connection: () => { throw new Error('connects'); } }), {
  files: {
    'queues/mail.js': ${JSON.stringify(MAIL)},
    'api/add.post.js': ${JSON.stringify(ADD)},
  },
  broken: { 'queues/mail.js': 'export default 5;' },
});
console.log('all hold');`,
  });
  const { status, stdout, stderr } = await ended(start(process.execPath, ['laws.mjs'], laws.root), 'laws');
  assert.is(status, 0, stderr);
  assert.match(stdout, 'all hold');

  const disabled = shop({
    'fwk.config.ts': config()
      .replace('plugins:', "disable: ['queues'],\n  plugins:")
      .replace(/ {2}queues: .*\n/, ''),
    'api/ctx.get.ts': route('get', '(req, res, ctx) => Object.keys(ctx)'),
  });
  const listed = await fwk(disabled, 'routes');
  assert.is(listed.status, 0, listed.stderr);
  assert.not.match(listed.stdout, 'QUEUE');
});

test.run();
