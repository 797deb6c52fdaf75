import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, fwk } from '../harness/fwk.js';
import { type Files, project } from '../harness/project.js';
import { assertTold, refusal } from '../harness/refusal.js';
import { module, route } from '../harness/source.js';
import { team, workersMain } from '../harness/workers.js';
import { installPlugin, withPlugin } from './example.js';

// A plugin from outside, installed and switched on as a stranger would.

const test = suite('cron');

const config = (more = '') => ({
  'fwk.config.ts': `import { cron } from 'fwk-cron';\n${module('defineConfig', `export default defineConfig({ plugins: [cron()], ${more} });`)}`,
});
const job = (interval: string, run: string) =>
  `import { every } from 'fwk-cron';\nexport default every(${interval}, ${run});\n`;
const says = (text: string) => job('5', `(ctx) => ctx.logger.info('[${text}]')`);

const service: Files = {
  'services/ledger.ts': module(
    'service',
    `export default service((ctx, { onDestroy }) => {
       onDestroy(() => console.log('[closed]'));
       return { name: 'the ledger' };
     });`,
  ),
  'di/scoped.ts': module(
    'di',
    `export default di({ lifetime: 'request', value: (ctx, { onDestroy, req }) => {
       onDestroy(() => console.log('[scope closed]'));
       return { req: typeof req };
     } });`,
  ),
};

test('jobs run again and again, each in a scope of its own, beside one another, and to their end', async () => {
  const made = withPlugin('cron', {
    ...config('cron: { atStart: true }'),
    ...service,
    'cron/tell.ts': job(`'5ms'`, `async (ctx) => console.log(\`[\${ctx.ledger.name}, \${ctx.scoped.req}]\`)`),
    'cron/broken.ts': job('5', `() => { throw new Error('no ink'); }`),
    'cron/rejected.ts': job('5', `async () => { throw new Error('no paper'); }`),
    'lib/beats.ts': 'export const beats = { slow: 0, most: 0 };\n',
    'cron/slow.ts': `import { beats } from '../lib/beats.js';\n${job(
      '1',
      `async () => {
         beats.most = Math.max(beats.most, ++beats.slow);
         // The other job ends its turn, or first where the app is closed.
         await new Promise((resolve) => { beats.left = 30; beats.go = resolve; setTimeout(resolve, 1_000); });
         beats.slow -= 1;
         console.log('[at most ' + beats.most + ']');
       }`,
    )}`,
    'cron/fast.ts': `import { beats } from '../lib/beats.js';\n${job('1', '() => { if (--beats.left === 0) beats.go(); }')}`,
    'cron/long.ts': job(
      `'1h'`,
      `async (ctx) => {
         const asked = new Promise((resolve) => process.once('SIGTERM', resolve));
         console.log('[begun]');
         await asked;
         await new Promise((resolve) => setTimeout(resolve, 30));
         console.log('[done] with ' + ctx.ledger.name);
       }`,
    ),
    'api/x.ts': route('get', '() => 1'),
  });
  const server = await dev(made);
  const twice = async (pattern: RegExp) => {
    const first = await server.waitFor(pattern);
    await server.waitFor(pattern, first.index + first[0].length);
  };
  await server.waitFor(/\[begun\]/);
  await twice(/\[the ledger, undefined\]\n/);
  await twice(/\[scope closed\]\n/);
  await twice(/src\/cron\/broken\.ts failed:\s+Error: no ink/);
  await twice(/src\/cron\/rejected\.ts failed:\s+Error: no paper/);
  await twice(/\[at most \d+\]/);
  assert.is((await server.fetch('/api/x')).status, 200);
  const { stdout } = await server.stop();
  assert.equal([...new Set(stdout.match(/\[at most \d+\]/g))], ['[at most 1]']);
  assert.match(stdout, /\[done\] with the ledger\n[\s\S]*\[closed\]\n$/);
});

test('of several workers one runs the jobs, and when it ends another does', async () => {
  const tell = job('20', '() => console.log("[" + process.pid + " " + ++count + "]")');
  const files = { ...config(), 'cron/tell.ts': `let count = 0;\n${tell}` };
  const made = project({ 'main.ts': workersMain(), ...files }, 'js');
  installPlugin('cron', made);
  const app = await team(made);
  const pids = () => new Set([...app.output.all.matchAll(/^\[(\d+) \d+\]$/gm)].map(([, pid]) => pid));
  try {
    // All serve: had each of them jobs, each would run some before one has run ten more.
    const [, first, count] = await app.output.waitFor(/^\[(\d+) (\d+)\]$/m, app.output.mark());
    await app.output.waitFor(new RegExp(`^\\[${first} ${Number(count) + 10}\\]$`, 'm'));
    assert.equal([...pids()], [first]);
    process.kill(Number(first), 'SIGKILL');
    const [, second] = await app.output.waitFor(new RegExp(`^\\[(?!${first} )(\\d+) 20\\]$`, 'm'));
    assert.equal([...pids()], [first, second]);
  } finally {
    await app.stop();
  }
});

test('fwk routes lists jobs, and runs none', async () => {
  const files = {
    'cron/tell.ts': job(`'1ms'`, `() => console.log('ran')`),
    'cron/books/count.ts': says('counted'),
    'api/x.ts': route('get', '() => 1'),
  };
  const on = await fwk(withPlugin('cron', { ...config('cron: { atStart: true }'), ...files }), 'routes');
  assert.equal([on.status, on.stderr], [0, '']);
  assert.equal(on.stdout.trim().split('\n').sort(), ['CRON books/count', 'CRON tell', 'GET /api/x']);
  const off = await fwk(withPlugin('cron', { ...config(`disable: ['cron']`), ...files }), 'routes');
  assert.equal([off.status, off.stdout, off.stderr], [0, 'GET /api/x\n', '']);
});

test('mistakes are told at once, in sentences', async () => {
  const made = withPlugin('cron', {
    ...config(),
    'cron/plain.ts': 'export default () => {};\n',
    'cron/nothing.ts': 'export const x = 1;\n',
    'cron/often.ts': job(`'10 sec'`, '() => {}'),
    'cron/idle.ts': job(`'10s'`, 'undefined'),
    'cron/never.ts': job(`'9000h'`, '() => {}'),
    'cron/twice.ts': says('a'),
    'cron/twice.mts': says('b'),
    'cron/throws.ts': `throw new Error('no clock');\n`,
  });
  const told = await refusal(made, 'routes');
  assert.match(told, /^7 problems in /, told);
  const none = `is not a job. Export default every('10s', async (ctx) => …).`;
  assertTold(told, made, 'cron/plain.ts', none);
  assertTold(told, made, 'cron/nothing.ts', none);
  const why = 'throws when it is imported: every() takes';
  assertTold(told, made, 'cron/often.ts', `:2: ${why} milliseconds or a text like "10s", not "10 sec".`);
  assertTold(told, made, 'cron/never.ts', `:2: ${why} milliseconds or a text like "10s", not "9000h".`);
  assertTold(told, made, 'cron/idle.ts', `:2: ${why} a function (ctx) to run.`);
  assertTold(told, made, 'cron/throws.ts', ':1: throws when it is imported: no clock.');
  assert.match(told, /serves CRON twice, which src\/cron\/twice\.m?ts serves too\./);
});

test.run();
