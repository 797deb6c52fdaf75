import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { reload, team, whoami, workersMain } from '../harness/workers.js';
import { assertEachSecondOnce, EACH_SECOND, inSeconds, nextTicks, telling, ticksIn } from './ticks.js';

const CONFIG = `import { cron } from '@fwkit/cron';
import { defineConfig } from 'fwkit';
export default defineConfig({ plugins: [cron()] });
`;

const test = suite('@fwkit/cron in several processes');
/** Ends processes that a failed test left. */
const ends: (() => void)[] = [];
test.after(() => {
  for (const end of ends) end();
});

test('one of several workers runs a job, another repeats it if the first is killed, and new workers run the new code', async () => {
  const made = project(
    {
      ...whoami,
      'main.ts': workersMain('workers: 3'),
      'fwk.config.ts': CONFIG,
      'cron/tick.ts': telling('tick', EACH_SECOND),
      'cron/long.ts': telling(
        'long',
        // When all of them serve.
        inSeconds(8),
        // However long it takes until it is killed.
        `const { existsSync } = await import('node:fs');
         console.log('[half]');
         if (!existsSync('killed')) await new Promise(() => setInterval(() => {}, 1_000));
         console.log('[done ' + token + ']');`,
      ),
    },
    'js',
  );
  const app = await team(made);
  ends.push(() => app.child.kill('SIGKILL'));
  const { output } = app;
  await output.waitFor(/\[half\]/);
  const [run] = ticksIn(output.all, 'long');
  assert.ok(run);
  writeFileSync(path.join(made.root, 'killed'), '');
  process.kill(run.pid, 'SIGKILL');
  const [again] = await nextTicks(output, 1, 'long');
  assert.ok(again);
  assert.is(again.at, run.at);
  assert.is.not(again.pid, run.pid);
  assert.ok(again.token > run.token, `${again.token} after ${run.token}`);
  assert.not.match(output.all, `[done ${run.token}]`);
  await output.waitFor(new RegExp(`\\[done ${again.token}\\]`));

  made.write('cron/tick.ts', telling('tick', EACH_SECOND, '', '2'));
  await reload(app);
  const swapped = await nextTicks(output, 2);
  assert.equal(
    swapped.map(({ version }) => version),
    ['2', '2'],
  );
  // The job that was running when the process was killed ran again, too.
  const ticks = ticksIn(output.all);
  const cutOff = ticks.filter(
    ({ at, pid }) => pid === run.pid && ticks.some((one) => one.at === at && one.pid !== pid),
  );
  assert.ok(cutOff.length <= 1);
  assertEachSecondOnce(ticks.filter((tick) => !cutOff.includes(tick)));
  assert.is(ticksIn(output.all, 'long').length, 2);
  assert.is((await app.stop()).status, 0);
});

test('one of several machines runs a job; during an outage they wait, and continue afterwards', async () => {
  const made = project(
    {
      'fwk.config.ts': CONFIG,
      'cron/tick.ts': telling('tick', EACH_SECOND),
      'cron/other.ts': telling('other', EACH_SECOND),
      'machines.mjs': `import { createTestApp, testMachines } from 'fwkit/testing';
const machine = testMachines();
const all = [machine(), machine(), machine()];
const apps = [];
for (const one of all) apps.push(await createTestApp({ machine: one, logger: console }));
console.log('[serves]');
let isCut = false;
process.on('SIGUSR2', () => {
  isCut = !isCut;
  for (const one of all) isCut ? one.cut() : one.mend();
  console.log(isCut ? '[cut]' : '[mended]');
});
process.once('SIGTERM', async () => {
  for (const app of apps) await app.close();
  // No listener remains that would keep it alive.
  process.removeAllListeners();
  console.log('[closed]');
});
`,
    },
    'js',
  );
  const { child, output, stop } = launch(
    '/usr/bin/env',
    ['NODE_ENV=staging', process.execPath, 'machines.mjs'],
    made.root,
  );
  await output.waitFor(/\[serves\]/);
  await nextTicks(output, 3);
  child.kill('SIGUSR2');
  await output.waitFor(/\[cut\]/);
  const cut = output.mark();
  for (let count = 0, from = cut; count < 3; count += 1) {
    const { index, 0: text } = await output.waitFor(/The jobs in cron\/ wait: this machine is cut off/, from);
    from += index + text.length;
  }
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  assert.equal(ticksIn(output.all.slice(cut)), []);
  assert.is(output.all.split('The jobs in cron/ wait').length - 1, 3, 'once on each machine, for all jobs');
  assertEachSecondOnce(ticksIn(output.all));
  child.kill('SIGUSR2');
  const after = await nextTicks(output, 2);
  assertEachSecondOnce(after);
  await stop();
});

test.run();
