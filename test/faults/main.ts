import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../fuzz/random.js';
import { Disk } from './disk.js';
import { Faults } from './faults.js';
import { Journal } from './journal.js';
import { Load } from './load.js';
import { LogLines } from './log-lines.js';
import { type Held, Server } from './server.js';
import { site } from './site.js';
import { Store } from './store.js';

// npm run faults -- --seconds 600 --seed 1: see CONTRIBUTING.md.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    people: { type: 'string', default: '24' },
  },
});
const [seconds, seed, people] = [Number(values.seconds), Number(values.seed), Number(values.people)];
if (!(seconds >= 20) || !Number.isSafeInteger(seed) || !(people > 0) || process.platform !== 'linux') {
  console.error('Usage, on Linux: npm run faults -- [--seconds 600, at least 20] [--seed 1] [--people 24]');
  process.exit(1);
}

/** By how much a process may have grown in the second half of a run. */
const GROWTH = 1.1;
/** How many more descriptors it may have. */
const MORE_DESCRIPTORS = 5;

const begun = performance.now();
const journal = new Journal();
const found = new Map<string, number>();
const find = (what: string): void => {
  const key = what.replace(/\d{2,}|[0-9a-f]{8}-[0-9a-f-]{27}/g, '#').slice(0, 200);
  if (!found.has(key)) console.log(`FOUND after ${passed()} s (${journal.latest}): ${what.slice(0, 1_500)}`);
  found.set(key, (found.get(key) ?? 0) + 1);
};
const passed = (): string => ((performance.now() - begun) / 1000).toFixed(1);
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

const made = await site();
const random = new Random(seed);
const disk = new Disk(made.path('faults/disk'));
if (!disk.isSmall) console.log('No disk is filled: only root may mount one.');
const store = new Store(made.path('faults/store'), random);
await store.open();
const server = await Server.start(made, disk.log, made.path('faults/store'));
const faults = new Faults(server, store, disk, journal, random);
const load = new Load(server.port, journal, find);
const log = new LogLines(disk, journal, (line) => find(`log: ${line}`));
let told = 0;
const watch = setInterval(() => {
  log.read();
  const news = server.stderr.slice(told);
  told += news.length;
  for (const line of news.split('\n').filter(Boolean)) find(`stderr: ${line}`);
  if (server.ended !== undefined) find(`the primary ended with ${server.ended}`);
}, 200);

/** Load with faults for a part of the run; afterwards all is quiet, and each process says what it holds. */
async function part(share: number, isEnding: boolean): Promise<ReadonlyMap<number, Held>> {
  load.begin(people, seed + told + Math.round(performance.now()));
  await setTimeout(1_000);
  await faults.run(performance.now() + share * seconds * 1000, isEnding);
  await load.end();
  // Connections end, and what was written of the last fault.
  await setTimeout(6_000);
  const held = await server.look();
  for (const [pid, { rss, heapUsed, external, descriptors }] of held)
    console.log(
      `${passed().padStart(6)} s  ${pid === server.pid ? 'primary' : `worker ${pid}`}: RSS ${megabytes(rss)}, heap ${megabytes(heapUsed)}, external ${megabytes(external)}, ${descriptors} descriptors`,
    );
  return held;
}

// Processes end in the first half, so that those of the second live long enough to grow.
await part(0.45, true);
disk.clear();
const before = await part(0.15, false);
const after = await part(0.4, false);
for (const [pid, { rss, descriptors }] of after) {
  const first = before.get(pid);
  if (!first) find(`process ${pid} is new, though none was ended`);
  else {
    if (rss > first.rss * GROWTH)
      find(`process ${pid} grew from ${megabytes(first.rss)} to ${megabytes(rss)}`);
    if (descriptors > first.descriptors + MORE_DESCRIPTORS)
      find(`process ${pid} has ${descriptors} descriptors, not ${first.descriptors}`);
  }
}
if (disk.left.length > 0) find(`uploads have left ${disk.left.join()}`);
load.close();
const ending = await server.stop();
clearInterval(watch);
log.read();
if (ending !== '0') find(`SIGTERM ended it with ${ending}`);
store.close();

console.log(`\n${'call'.padEnd(12)} answered  unanswered, by the fault that was the reason`);
let [answered, excused] = [0, 0];
for (const [name, tally] of Object.entries(load.tallies)) {
  const by = Object.entries(tally.excused);
  answered += tally.answered;
  excused += by.reduce((sum, [, count]) => sum + count, 0);
  const reasons = by.map(([fault, count]) => `${fault} ${count}`).join(', ');
  console.log(`${name.padEnd(12)} ${String(tally.answered).padStart(8)}  ${reasons}`);
}
const counts = [...journal.counts].map(([fault, count]) => `${count} × ${fault}`).join(', ');
console.log(
  `\n${answered} answered as they have to be, ${excused} unanswered by a fault, ${log.lines} lines of log (${log.torn} torn)`,
);
console.log(`Faults: ${counts}`);
for (const [what, count] of found) console.log(`${count} × ${what}`);
console.log(`${found.size} findings in ${passed()} s with seed ${seed}`);
process.exit(found.size > 0 ? 1 : 0);
