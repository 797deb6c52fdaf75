/**
 * Measures the effects on clients behind a real proxy while backends are reloaded and restarted, and workers are
 * stopped and killed. See README.md. Exits with 1 if a request was lost that the proxy could have retried. Linux only.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isInstalled, PROXIES, proxy } from '../../dist/test/harness/proxies.js';
import { chosen, positive, refuse } from '../lib/options.js';
import { freePort } from '../lib/processes.js';
import { table } from '../lib/report.js';
import { Backend } from './backend.js';

/** Milliseconds between two events. HAProxy needs this time to notice that a restarted backend is ready. */
const PAUSE = 4_000;
/** Milliseconds from a SIGKILL until the proxy has noticed it. */
const KILL_WINDOW = 1_000;

const { values } = parseArgs({
  options: {
    proxy: { type: 'string', default: 'nginx' },
    seconds: { type: 'string', default: '60' },
    'no-kill': { type: 'boolean', default: false },
  },
});
const [name] = chosen('proxy', [values.proxy], PROXIES, (known) => known);
const seconds = positive('seconds', values.seconds);
if (!isInstalled(name)) refuse(`${name} is not installed.`);

const dir = mkdtempSync(join(tmpdir(), 'fwk-proxy-'));
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
const orders = join(dir, 'orders');
writeFileSync(orders, '');
const backends = [];
for (const label of ['a', 'b']) backends.push(new Backend(label, await freePort(), orders));
await Promise.all(backends.map((backend) => backend.start()));
const front = await proxy(
  name,
  backends.map(({ port }) => port),
);
const env = { ...process.env, URL: front.url, CA: front.ca.toString('base64') };
const load = fork(join(import.meta.dirname, 'load.js'), { env });
const failures = [];
let result;
load.on('message', (message) => {
  if (message.failure) failures.push(message.failure);
  else result = message;
});

const STEPS = [
  ['reload', ([a]) => a.reload()],
  ['worker SIGTERM', ([, b]) => b.retireOne()],
  ['restart', ([a]) => a.restart()],
  ['reload', ([, b]) => b.reload()],
  ['worker SIGKILL', ([a]) => a.killOne()],
  ['worker SIGTERM', ([a]) => a.retireOne()],
  ['restart', ([, b]) => b.restart()],
  ['worker SIGKILL', ([, b]) => b.killOne()],
].filter(([what]) => !(values['no-kill'] && what === 'worker SIGKILL'));
const events = [];
let most = 0;
const end = Date.now() + seconds * 1000;
for (let step = 0; Date.now() < end; step += 1) {
  await sleep(Math.min(PAUSE, Math.max(0, end - Date.now())));
  if (Date.now() >= end) break;
  const [what, act] = STEPS[step % STEPS.length];
  const event = { what, at: Date.now() };
  events.push(event);
  await act(backends);
  event.until = Date.now();
  most = Math.max(most, ...backends.map((backend) => backend.memory().mb));
  const since = (event.at - end) / 1000 + seconds;
  console.error(
    `${since.toFixed(1)} s: ${what}, ${event.until - event.at} ms; ${failures.length} failed so far`,
  );
}
load.send('stop');
await once(load, 'exit');
const statuses = [];
for (const backend of backends) statuses.push(await backend.stop());
front.stop();

const kills = events.filter(({ what }) => what === 'worker SIGKILL');
const isOfKill = ({ begun, ended }) => kills.some(({ at }) => begun <= at + KILL_WINDOW && ended >= at);
const lost = failures.filter((failure) => !isOfKill(failure));
const done = readFileSync(orders, 'utf8').split('\n').slice(0, -1);
const times = Map.groupBy ? Map.groupBy(done, (id) => id) : group(done);
const twice = [...times.values()].filter((list) => list.length > 1).length;
const missing = result.orders.filter((id) => !times.has(id)).length;

const count = (what) => String(events.filter((event) => event.what === what).length);
console.log(`${name}, Node ${process.version}, ${seconds} s\n`);
const kinds = Object.entries(result.counts).map(([kind, { ok, ended, failed }]) => {
  const ofKill = failures.filter((failure) => failure.kind === kind && isOfKill(failure)).length;
  return [kind, '', String(ok), String(ended), String(failed - ofKill), String(ofKill)];
});
console.log(table([['', '', 'answered', 'ended by a reload', 'lost', 'lost after SIGKILL'], ...kinds]));
console.log(
  `\n${[...new Set(STEPS.map(([what]) => what))].map((what) => `${what}: ${count(what)}`).join(', ')}`,
);
console.log(
  `orders answered: ${result.orders.length}, processed: ${times.size}, processed twice: ${twice}, answered but not processed: ${missing}`,
);
console.log(
  `exit codes of the backends: ${statuses.join(', ')}; at most ${most.toFixed(0)} MB per backend, including its workers`,
);
for (const { kind, begun, ended, what } of lost) {
  const last = events.findLast(({ at }) => at <= ended);
  console.log(
    `LOST ${kind}: ${what}, ${ended - begun} ms, ${last ? `${ended - last.at} ms after ${last.what}` : ''}`,
  );
}
for (const { kind, what } of failures.filter(isOfKill)) console.log(`lost after SIGKILL, ${kind}: ${what}`);
const warnings = backends.flatMap((backend) => backend.warnings());
for (const line of warnings.slice(0, 20)) console.log(line);
const isFine =
  lost.length + twice + missing + warnings.length === 0 && statuses.every((status) => status === 0);
process.exit(isFine ? 0 : 1);

function group(list) {
  const groups = new Map();
  for (const item of list) groups.set(item, [...(groups.get(item) ?? []), item]);
  return groups;
}
