/**
 * Measures the cost of several machines: rooms over two processes, and sessions in a broker, compared with libraries
 * that do the same with Redis, in alternating rounds. See README.md.
 */
import { parseArgs } from 'node:util';
import { postgresServer } from '../../dist/test/harness/postgres.js';
import { redisServer } from '../../dist/test/harness/redis.js';
import { chosen, positive } from '../lib/options.js';
import { stop } from '../lib/processes.js';
import { describeMachine, median, table } from '../lib/report.js';
import * as rooms from './rooms.js';
import * as sessions from './sessions.js';

const SCENARIOS = { rooms, sessions };

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', multiple: true },
    subject: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});
const rounds = positive('rounds', values.rounds);
const seconds = positive('seconds', values.seconds);
const scenarios = chosen('scenario', values.scenario, Object.keys(SCENARIOS), (name) => name);
const known = [...new Set(scenarios.flatMap((name) => SCENARIOS[name].SUBJECTS))];
const subjects = chosen('subject', values.subject, known, (name) => name);

const servers = { redis: await redisServer(), postgres: await postgresServer() };
console.log(describeMachine(['fwkit', '@redis/client', 'pg', 'socket.io', 'crossws', 'connect-redis']));
for (const name of scenarios) await measure(name, SCENARIOS[name]);
process.exit();

async function measure(name, { SUBJECTS, COLUMNS, open, round }) {
  const apps = [];
  // The first subject is the baseline and always runs, even if the flags select other subjects.
  for (const subject of SUBJECTS.filter((one, index) => index === 0 || subjects.includes(one)))
    apps.push(await open(subject, servers));
  const results = apps.map(() => []);
  for (let count = -1; count < rounds; count += 1) {
    // Each round starts with a different subject.
    for (let offset = 0; offset < apps.length; offset += 1) {
      const index = (Math.max(count, 0) + offset) % apps.length;
      const figures = await round(apps[index], seconds);
      // The first round is a warm-up.
      if (count >= 0) results[index].push(figures);
    }
    process.stderr.write(`${name} ${count + 1}/${rounds} \r`);
  }
  await stop(apps.flatMap(({ processes }) => processes.map(({ child }) => child)));
  const rows = apps.map((app, index) => [
    app.name,
    ...COLUMNS.flatMap((_, column) => [
      figure(median(results[index].map((figures) => figures[column]))),
      median(results[index].map((figures, at) => figures[column] / results[0][at][column])).toFixed(2),
    ]),
  ]);
  const head = [name, ...COLUMNS.flatMap((column) => [column, '÷'])];
  console.log(`\n${table([head, ...rows])}`);
}

/** Formats a number with at least three digits. */
function figure(value) {
  return value < 100 ? value.toPrecision(3) : value.toFixed(0);
}
