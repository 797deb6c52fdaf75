/** Requests per second and server CPU time per request, each as a ratio to node:http by hand. See README.md. */
import { parseArgs } from 'node:util';
import { writeFwkRoutes } from './lib/fwk-routes.js';
import { ask, SUBJECTS, startClient, startServer } from './lib/processes.js';
import { describeMachine, median, positive, refuse, table } from './lib/report.js';
import { SCENARIOS } from './lib/scenarios.js';
import { verify } from './lib/verify.js';

const CONNECTIONS = 64;
const YARDSTICK = 'raw';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    scenario: { type: 'string', multiple: true },
    subject: { type: 'string', multiple: true },
  },
});
const rounds = positive('rounds', values.rounds);
const seconds = positive('seconds', values.seconds);
const scenarios = SCENARIOS.filter(
  chosen(
    'scenario',
    SCENARIOS.map(({ name }) => name),
    ({ name }) => name,
  ),
);
const isSubject = chosen('subject', SUBJECTS, (name) => name);
// The yardstick always runs: without it there is no ratio.
const subjects = SUBJECTS.filter((name) => name === YARDSTICK || isSubject(name));

writeFwkRoutes();
console.log(`${describeMachine(['fwkit', 'fastify', '@fastify/cookie'])}\n`);
const rows = [
  ['scenario', 'subject', 'requests/s', 'CPU/request', 'requests/s ×raw', 'CPU/request ×raw', 'busy'],
];
for (const scenario of scenarios) rows.push(...(await measure(scenario)));
console.log(table(rows));
console.log(
  `\n${rounds} interleaved rounds of ${seconds} s, ${CONNECTIONS} connections. Ratios are medians of each round's ratio to ${YARDSTICK}.` +
    '\nbusy: the share of time that the server was computing. Well below 100 %, requests/s tells of the client; read the CPU time.',
);

async function measure(scenario) {
  const client = startClient();
  const servers = await Promise.all(subjects.map((subject) => startServer(subject, scenario.app)));
  try {
    await verify(servers, scenario);
    for (const server of servers) await round(server, client, scenario);
    const results = new Map(servers.map(({ subject }) => [subject, []]));
    for (let index = 0; index < rounds; index += 1) {
      // Another one goes first each time, so that no subject always follows the same one.
      const order = servers.map((_, offset) => servers[(index + offset) % servers.length]);
      for (const server of order) results.get(server.subject).push(await round(server, client, scenario));
      process.stderr.write(`${scenario.name} ${index + 1}/${rounds}\r`);
    }
    return subjects.map((subject) => summary(scenario, subject, results));
  } finally {
    for (const { child } of [...servers, { child: client }]) child.disconnect();
  }
}

/** One window of load on one server. */
async function round({ port, child }, client, { requests, status }) {
  const before = await ask(child, 'cpu');
  const { done, elapsed } = await ask(client, { port, requests, status, connections: CONNECTIONS, seconds });
  const after = await ask(child, 'cpu');
  const cpu = after.user + after.system - before.user - before.system;
  return { rate: done / elapsed, cpu: cpu / done, busy: cpu / (elapsed * 1e6) };
}

function summary({ title }, subject, results) {
  const own = results.get(subject);
  const of = (key) => median(own.map((result) => result[key]));
  const ratio = (key) => median(own.map((result, index) => result[key] / results.get(YARDSTICK)[index][key]));
  return [
    subject === YARDSTICK ? title : '',
    subject,
    of('rate').toFixed(0),
    `${of('cpu').toFixed(1)} µs`,
    ratio('rate').toFixed(3),
    ratio('cpu').toFixed(3),
    `${(of('busy') * 100).toFixed(0)} %`,
  ];
}

/** A test for what a repeatable flag names; everything where it is not given. */
function chosen(flag, known, nameOf) {
  const given = values[flag] ?? known;
  const wrong = given.find((name) => !known.includes(name));
  if (wrong !== undefined) refuse(`There is no ${flag} "${wrong}". There are ${known.join(', ')}.`);
  return (item) => given.includes(nameOf(item));
}
