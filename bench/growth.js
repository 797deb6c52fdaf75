/**
 * Measures how fwk's figures change as a project grows, and whether they grow faster than the number of routes. See
 * README.md.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fwk, resourceAt, writeProject } from './lib/fwk-project.js';
import { lookups } from './lib/lookups.js';
import { positive } from './lib/options.js';
import { freePort } from './lib/processes.js';
import { describeMachine, median, table } from './lib/report.js';
import { machine, save } from './lib/results.js';
import { measureSaves } from './lib/saves.js';

/** The ratio by which two runs of the same measurement may differ. */
const NOISE = 1.15;
const ENTRY = join('dist', 'main.js');
const PROBE = join(import.meta.dirname, 'lib/boot-probe.js');

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    routes: { type: 'string', multiple: true, default: ['10', '100', '1000', '10000'] },
  },
});
const runs = positive('runs', values.runs);
const sizes = values.routes.map((count) => positive('routes', count)).sort((a, b) => a - b);

const columns = {
  'boot ms': ({ boot }) => boot,
  'RSS MB': ({ rss }) => rss / 1e6,
  'heap MB': ({ heap }) => heap / 1e6,
  'literal ns': ({ literal }) => literal,
  'parameter ns': ({ parameter }) => parameter,
  'fwk types ms': ({ types }) => types,
  'again ms': ({ typesAgain }) => typesAgain,
  'fwk routes ms': ({ routes }) => routes,
  'fwk build ms': ({ build }) => build,
};

const results = [];
for (const count of sizes) {
  process.stderr.write(`${count} routes \r`);
  results.push({ count, ...(await measure(count)) });
}
console.log(`${describeMachine(['fwkit'])}\n`);
const rows = results.map((result, index) => [
  String(result.count),
  ...Object.values(columns).map((read) => cell(read, result, results[index - 1])),
]);
console.log(table([['routes', ...Object.keys(columns)], ...rows]));
console.log(
  `\nMedians of ${runs} runs. boot: from the start of Node to listening, minus the start of an empty Node process; types and routes: likewise. again: types without a change.` +
    `\n!: grew faster than the number of routes, by more than ${Math.round((NOISE - 1) * 100)} %.`,
);
const saves = await measureSaves();
const kinds = {
  route: 'save of a route → served',
  service: 'save of a service → served',
  app: 'additional test app',
};
const savesRows = Object.entries(kinds).map(([kind, label]) => {
  const [small, large] = [saves.small[kind], saves.large[kind]];
  return [label, small.toFixed(1), large.toFixed(1), (large / small).toFixed(1)];
});
console.log(`\n${table([['ms', 'small', 'large', 'ratio'], ...savesRows])}`);
console.log('small: 20 routes, 3 services, 2 middlewares; large: 2,000, 300, 100.');
console.log(save('growth', { ...machine(['fwkit']), runs, results, saves }));
process.exitCode = rows.some((row) => row.some((text) => text.endsWith('!'))) ? 1 : 0;

function cell(read, result, before) {
  const value = read(result);
  const worse = before && value / read(before) > (result.count / before.count) * NOISE;
  return value.toFixed(1) + (worse ? ' !' : '');
}

async function measure(count) {
  const root = writeProject(count);
  const started = performance.now();
  fwk(root, 'build');
  const build = performance.now() - started;
  const boots = [];
  const types = [];
  const typesAgain = [];
  const routes = [];
  for (let run = 0; run < runs; run += 1) {
    const bare = time(() => execFileSync(process.execPath, ['-e', '0']));
    rmSync(join(root, '.fwk'), { recursive: true });
    types.push(time(() => fwk(root, 'types')) - bare);
    typesAgain.push(time(() => fwk(root, 'types')) - bare);
    routes.push(time(() => fwk(root, 'routes')) - bare);
    const booted = await boot(root);
    boots.push({ ...booted, boot: booted.boot - bare });
  }
  const of = (key) => median(boots.map((booted) => booted[key]));
  const lookup = await lookups(count, resourceAt);
  return {
    boot: of('boot'),
    rss: of('rss'),
    heap: of('heap'),
    ...lookup,
    types: median(types),
    typesAgain: median(typesAgain),
    routes: median(routes),
    build,
  };
}

function time(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

/** Starts the built project. The probe reports its memory as soon as it listens. */
async function boot(root) {
  const env = { ...process.env, NODE_ENV: 'production', PORT: String(await freePort()), HOST: '127.0.0.1' };
  const start = performance.now();
  const child = spawn(process.execPath, ['--expose-gc', '--import', PROBE, join(root, ENTRY)], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const ended = exit.then(([code]) => {
    throw new Error(`${root} exited with ${code}`);
  });
  const [memory] = await Promise.race([once(child, 'message'), ended]);
  const taken = performance.now() - start;
  ended.catch(() => {});
  child.kill('SIGKILL');
  await exit;
  return { boot: taken, ...memory };
}
