/** Checks whether the memory of one subject grows under one scenario's load. See README.md. */
import { parseArgs } from 'node:util';
import { round } from './lib/measure.js';
import { chosen, positive } from './lib/options.js';
import { query, startClient, startServer, stop } from './lib/processes.js';
import { table } from './lib/report.js';
import { subjectsOf } from './lib/subjects.js';
import { SCENARIOS } from './scenarios/index.js';

const PARTS = 10;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'calls' },
    subject: { type: 'string', default: 'fwk' },
    minutes: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
  },
});
const [scenario] = chosen('scenario', [values.scenario], SCENARIOS, ({ name }) => name);
const [subject] = chosen('subject', [values.subject], subjectsOf(scenario), (name) => name);
const minutes = positive('minutes', values.minutes);
const connections = positive('connections', values.connections);

const client = startClient();
const server = await startServer(subject, scenario.app);
const rows = [['minutes', 'done', 'RSS MB', 'heap MB']];
let done = 0;
for (let part = 1; part <= PARTS; part += 1) {
  const seconds = (minutes * 60) / PARTS;
  const { rate } = await round(server, client, scenario, { connections, seconds });
  done += rate * seconds;
  const { rss, heap } = await query(server.child, 'memory');
  const passed = ((minutes * part) / PARTS).toFixed(2);
  rows.push([passed, done.toFixed(0), (rss / 1e6).toFixed(1), (heap / 1e6).toFixed(1)]);
}
await stop([client, server.child]);
console.log(table(rows));
