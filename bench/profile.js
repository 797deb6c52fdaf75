/** Shows which functions use the CPU time of one subject under one scenario's load. See README.md. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { round } from './lib/measure.js';
import { chosen, positive } from './lib/options.js';
import { startClient, startServer, stop } from './lib/processes.js';
import { table } from './lib/report.js';
import { subjectsOf } from './lib/subjects.js';
import { SCENARIOS } from './scenarios/index.js';

const CONNECTIONS = 64;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'routes' },
    subject: { type: 'string', default: 'fwk' },
    seconds: { type: 'string', default: '6' },
  },
});
const [scenario] = chosen('scenario', [values.scenario], SCENARIOS, ({ name }) => name);
const [subject] = chosen('subject', [values.subject], subjectsOf(scenario), (name) => name);
const seconds = positive('seconds', values.seconds);
const directory = join(import.meta.dirname, 'results/profile');
rmSync(directory, { recursive: true, force: true });
mkdirSync(directory, { recursive: true });

const client = startClient();
const flags = ['--cpu-prof', `--cpu-prof-dir=${directory}`, '--cpu-prof-interval=200'];
const server = await startServer(subject, scenario.app, flags);
await round(server, client, scenario, { connections: CONNECTIONS, seconds });
await stop([client, server.child]);

const [file] = readdirSync(directory);
const { nodes, samples, timeDeltas, startTime, endTime } = JSON.parse(
  readFileSync(join(directory, file), 'utf8'),
);
const places = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
const own = new Map();
let total = 0;
let outside = 0;
let now = startTime;
samples.forEach((id, index) => {
  const time = timeDeltas[index];
  now += time;
  const { functionName, url, lineNumber } = places.get(id);
  // The load is at the end of the profile; the samples before it are from startup.
  if (now < endTime - seconds * 1e6 || functionName === '(idle)') return;
  const name = functionName === '' ? '(anonymous)' : functionName;
  const key = [name, url === '' ? '' : `${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`].join('\t');
  own.set(key, (own.get(key) ?? 0) + time);
  total += time;
  if (url.startsWith('file:')) outside += time;
});
const most = [...own].sort(([, a], [, b]) => b - a).slice(0, 45);
const share = (time) => `${((time / total) * 100).toFixed(1)} %`;
console.log(
  table([['function', 'at', 'self'], ...most.map(([key, time]) => [...key.split('\t'), share(time)])], 2),
);
console.log(`\nOutside Node: ${share(outside)}`);
console.log(`${relative(process.cwd(), join(directory, file))}: open it in the Performance tab of Chromium.`);
