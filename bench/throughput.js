/**
 * Measures exchanges per second and the server's CPU time per exchange, each as a ratio to the baseline. See README.md.
 */
import { parseArgs } from 'node:util';
import { measure } from './lib/measure.js';
import { chosen, positive, refuse } from './lib/options.js';
import { describeMachine, table } from './lib/report.js';
import { machine, save } from './lib/results.js';
import { subjectsOf } from './lib/subjects.js';
import { GROUPS } from './scenarios/index.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    processes: { type: 'string' },
    scenario: { type: 'string', multiple: true },
    subject: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
  },
});
const usual = values.quick
  ? { rounds: 4, seconds: 0.3, processes: 1 }
  : { rounds: 15, seconds: 0.7, processes: 3 };
const method = {
  connections: 64,
  rounds: positive('rounds', values.rounds ?? usual.rounds),
  seconds: positive('seconds', values.seconds ?? usual.seconds),
  processes: positive('processes', values.processes ?? usual.processes),
};
const [group = 'http'] = positionals;
const { unit, packages, ...all } =
  GROUPS[group] ?? refuse(`Unknown group "${group}". Use ${Object.keys(GROUPS).join(', ')}.`);
const scenarios = chosen('scenario', values.scenario, all.scenarios, ({ name }) => name);
const known = [...new Set(all.scenarios.flatMap(subjectsOf))];
const wanted = chosen('subject', values.subject, known, (name) => name);

const HEADINGS = [
  'scenario',
  'subject',
  ...[`${unit}s/s`, '×first', 'quartiles'],
  ...[`CPU/${unit}`, '×first', 'quartiles'],
  ...['busy', 'RSS', 'heap'],
];

console.log(`${describeMachine(packages)}\n`);
const results = [];
for (const scenario of scenarios) {
  const [baseline, ...others] = subjectsOf(scenario);
  // The baseline always runs, because all ratios relate to it.
  const subjects = [baseline, ...others.filter((name) => wanted.includes(name))];
  if (subjects.length === 1 && values.subject) continue;
  const measured = await measure(scenario, subjects, method);
  results.push({ name: scenario.name, title: scenario.title, subjects: measured });
}
console.log(table([HEADINGS, ...results.flatMap(rowsOf)], 2));
console.log(
  `\n${method.rounds} interleaved rounds of ${method.seconds} s over ${method.processes} processes of each subject, ` +
    `${method.connections} connections unless the scenario sets another number.\nRatios are medians of each round's ratio to the first subject, with their quartiles. ` +
    'busy: the share of time in which the server used the CPU.\nWell below 100 %, the client limits the rate: compare the CPU time instead.',
);
const whole = !values.quick && !values.scenario && !values.subject;
console.log(
  `\n${save(whole ? group : `${group}-part`, { ...machine(packages), method, scenarios: results })}`,
);

function rowsOf({ title, subjects }) {
  return subjects.map(({ subject, rate, cpu, busy, rss, heap }, index) => [
    index === 0 ? title : '',
    subject,
    rate.median.toFixed(0),
    rate.ratio.toFixed(3),
    rate.quartiles.map((ratio) => ratio.toFixed(2)).join('–'),
    `${cpu.median.toFixed(1)} µs`,
    cpu.ratio.toFixed(3),
    cpu.quartiles.map((ratio) => ratio.toFixed(2)).join('–'),
    `${(busy * 100).toFixed(0)} %`,
    megabytes(rss),
    megabytes(heap),
  ]);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
