import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, fwk, start } from '../harness/fwk.js';
import { production } from '../harness/production.js';
import { project } from '../harness/project.js';
import { running } from '../harness/running.js';
import { di, route } from '../harness/source.js';
import { assertEachSecondOnce, EACH_SECOND, nextTicks, telling, ticksIn } from './ticks.js';

const config = (options = '') => `import { cron } from '@fwkit/cron';
import { defineConfig } from 'fwkit';
export default defineConfig({ plugins: [cron()], ${options} });
`;
const job = (given: string) => `import { job } from '@fwkit/cron';\nexport default job(${given});\n`;
const NOTHING = '() => {}';

const test = suite('@fwkit/cron');

test('reports every mistake of a job at once, with its place', async () => {
  const wrong: Readonly<Record<string, readonly [text: string, says: string]>> = {
    minute: [job(`'61 * * * *', ${NOTHING}`), '"61 * * * *" is not a cron pattern'],
    words: [job(`'every day', ${NOTHING}`), '"every day" is not a cron pattern'],
    date: [job(`'2030-01-01T00:00:00', ${NOTHING}`), '"2030-01-01T00:00:00" is not a cron pattern'],
    never: [job(`'0 0 30 2 *', ${NOTHING}`), 'The cron pattern "0 0 30 2 *" never matches'],
    number: [job(`5, ${NOTHING}`), 'The pattern of job() must be a string, not number'],
    zone: [
      job(`'0 3 * * *', ${NOTHING}, { timezone: 'Europe/Berlim' }`),
      'Unknown time zone "Europe/Berlim"',
    ],
    option: [
      job(`'0 3 * * *', ${NOTHING}, { timeZone: 'UTC' }`),
      'The third argument of job() must be { timezone }, without "timeZone"',
    ],
    nothing: [job(`'0 3 * * *'`), 'The second argument of job() must be a function (ctx, run)'],
    plain: ['export default () => {};\n', 'does not export a job. Write export default job('],
    missing: ['export const none = 1;\n', 'does not export a job. Write export default job('],
  };
  const files = Object.entries(wrong).map(([name, [text]]) => [`cron/${name}.ts`, text]);
  const made = project({ 'fwk.config.ts': config(), ...Object.fromEntries(files) });
  const { status, stderr } = await fwk(made, 'routes');
  assert.is(status, 1);
  for (const [name, [text, says]] of Object.entries(wrong)) {
    const line = text.includes('job(') ? ':2' : '';
    assert.ok(stderr.includes(`src/cron/${name}.ts${line}: ${says}`), `${name}: ${stderr}`);
  }
  made.write('fwk.config.ts', config('cron: { drainLimit: "1s", drain: 1 }'));
  const options = await fwk(made, 'routes');
  assert.match(options.stderr, '"cron.drainLimit" must be a whole number of milliseconds, at least 0');
  assert.match(options.stderr, 'has an unknown key "cron.drain"');
});

test('fwk routes lists jobs, tests run them explicitly, and nothing else runs in a test', async () => {
  const made = project({
    'fwk.config.ts': config(),
    'cron/tick.ts': telling('tick', EACH_SECOND),
    'cron/reports/daily.ts': job(
      `'0 3 * * *', async (ctx, { at, token, signal }) => {
         ctx.logger.info('made');
         return [ctx.made.name, at.getTime(), token, signal.aborted];
       }, { timezone: 'Europe/Berlin' }`,
    ),
    'di/made.ts': di(
      'request',
      `(ctx, { onDestroy }) => {
         onDestroy(() => console.log('[destroyed]'));
         return { name: 'ada' };
       }`,
    ),
    'try.mjs': `import { runJob } from '@fwkit/cron';
import { createTestApp } from 'fwkit/testing';
const app = await createTestApp();
console.log(JSON.stringify(await runJob(app, 'reports/daily', { at: new Date(5) })));
console.log(await runJob(app, 'report').catch((thrown) => thrown.message));
await new Promise((resolve) => setTimeout(resolve, 1_100));
await app.close();
`,
  });
  const { stdout } = await fwk(made, 'routes');
  assert.equal(stdout.trim().split('\n'), [
    'CRON reports/daily 0 3 * * * Europe/Berlin',
    'CRON tick * * * * * *',
  ]);
  const tried = await ended(start(process.execPath, ['try.mjs'], made.root), 'try.mjs');
  assert.is(tried.status, 0, tried.stderr);
  assert.equal(tried.stdout.trim().split('\n'), [
    '[destroyed]',
    '["ada",5,1,false]',
    'There is no job "report". The jobs of this app are: reports/daily, tick',
  ]);
});

test('a save replaces the job without skipping or repeating a second; a failing job continues, and a deleted one stops', async () => {
  const swapped = (version: number) => telling('tick', EACH_SECOND, '', String(version));
  const files = {
    'fwk.config.ts': config(),
    'cron/tick.ts': swapped(1),
    'cron/throws.ts': telling('throws', EACH_SECOND, `throw new Error('as ever');`),
    'api/x.get.ts': route('get', '() => 1'),
  };
  await running(files, async ({ made, server, save }) => {
    const { output } = server;
    await nextTicks(output, 1);
    for (let version = 2; version < 12; version += 1) await save({ 'cron/tick.ts': swapped(version) });
    await nextTicks(output, 2);
    const ticks = ticksIn(output.all);
    assertEachSecondOnce(ticks);
    assert.is(ticks.at(-1)?.version, '11');
    assertEachSecondOnce(ticksIn(output.all, 'throws'));
    assert.match(output.all, /src\/cron\/throws\.ts failed[\s\S]*as ever/);

    const from = output.mark();
    made.remove('cron/tick.ts');
    await output.waitFor(/reloaded/, from);
    const gone = output.mark();
    await nextTicks(output, 2, 'throws');
    assert.equal(ticksIn(output.all.slice(gone)), []);
  });
});

/** Prints the messages on the channels of jobs. */
const WATCHED = `import { subscribe } from 'node:diagnostics_channel';
for (const event of ['start', 'error', 'end'])
  subscribe('fwk.job.' + event, ({ cron, at, token, error, duration }) =>
    console.log('<' + [event, cron, at instanceof Date, token > 0, error?.message, duration > 0].join(' ') + '>'));
`;
const main = `${WATCHED}import { bootstrap } from 'fwkit';
console.log('serves', ...(await bootstrap({ host: 'localhost', port: 0 })));
`;

test('a shutdown starts no job and lets a running one finish', async () => {
  const server = await production({
    'main.ts': main,
    'fwk.config.ts': config(),
    'cron/tick.ts': telling(
      'tick',
      EACH_SECOND,
      `await new Promise((resolve) => setTimeout(resolve, 1_500));
       console.log('[done ' + signal.aborted + ']');`,
    ),
  });
  await nextTicks(server.output, 1);
  await server.stop();
  assert.is(ticksIn(server.output.all).length, 1);
  assert.match(server.output.all, '[done false]');
  assert.match(server.output.all, /<start tick true true {2}true>[\s\S]*<end tick true true {2}true>/);
});

test('at its limit, a shutdown aborts the signal, names the job, and exits with 1', async () => {
  const server = await production({
    'main.ts': main,
    'fwk.config.ts': config('cron: { drainLimit: 300 }'),
    'cron/heeds.ts': telling(
      'heeds',
      EACH_SECOND,
      `await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));`,
    ),
    'cron/deaf.ts': telling('deaf', EACH_SECOND, 'await new Promise(() => {});'),
    'cron/quick.ts': telling('quick', EACH_SECOND),
  });
  await nextTicks(server.output, 1, 'heeds');
  const failure = await server.stop().catch((thrown: Error) => thrown.message);
  assert.match(String(failure), 'ended with 1');
  const told = server.output.all;
  assert.match(told, 'cron.drainLimit (300 ms) while these jobs still run: cron/deaf.js, cron/heeds.js');
  assert.match(told, 'cron/heeds.js failed after its signal had aborted. Another process repeats it');
  assert.match(told, /<error heeds true true The process ends[^>]*>/);
  assert.is(ticksIn(told, 'quick').length, 1);
});

test('breaks no law of plugins', async () => {
  const tick = (name: string) => `import { job } from '@fwkit/cron';
export default job('* * * * * *', (ctx) => ctx.ticks.add('${name}'));
`;
  const laws = project({
    'laws.mjs': `import { cron } from '@fwkit/cron';
import { testPlugin } from 'fwkit/testing';
await testPlugin(cron(), {
  files: {
    'cron/tick.js': ${JSON.stringify(tick('a'))},
    'services/ticks.js': \`import { service } from 'fwkit';
export default service(() => {
  const waiting = [];
  return { add: () => waiting.splice(0).forEach((resolve) => resolve()), next: () => new Promise((resolve) => waiting.push(resolve)) };
});\`,
  },
  changed: { 'cron/tick.js': ${JSON.stringify(tick('b'))} },
  broken: { 'cron/tick.js': "import { job } from '@fwkit/cron'; export default job('never', () => {});", 'cron/plain.js': 'export default 5;' },
  works: ({ ctx }) => ctx.ticks.next(),
});
console.log('all hold');`,
  });
  const { status, stdout, stderr } = await ended(start(process.execPath, ['laws.mjs'], laws.root), 'laws');
  assert.is(status, 0, stderr);
  assert.match(stdout, 'all hold');
});

test.run();
