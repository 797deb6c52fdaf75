/** Measures the nanoseconds that schemas add to a handler, compared with the same checks by hand. See README.md. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chosen, positive } from '../lib/options.js';
import { describeMachine, median, table } from '../lib/report.js';
import { machine, save } from '../lib/results.js';
import { LIBRARIES } from './schemas.js';

const { values } = parseArgs({
  options: {
    library: { type: 'string', multiple: true },
    processes: { type: 'string', default: '3' },
  },
});
const processes = positive('processes', values.processes);
const libraries = chosen('library', values.library, Object.keys(LIBRARIES), (name) => name);

// Each library runs in separate processes, as in an app. Otherwise V8 would compile shared code for all libraries
// together.
const run = (library) =>
  JSON.parse(execFileSync(process.execPath, [join(import.meta.dirname, 'run.js'), library]));
const results = libraries.flatMap((library) => {
  const runs = Array.from({ length: processes }, () => run(library));
  return Object.keys(runs[0]).map((name) => {
    const medianOf = (key) => median(runs.map((one) => one[name][key]));
    return { library, name, ns: medianOf('ns'), hand: medianOf('hand'), over: medianOf('over') };
  });
});

const packages = ['fwkit', 'zod', 'valibot', 'arktype'];
console.log(`${describeMachine(packages)}\n`);
const cell = (number) => (number === null ? '' : number.toFixed(0));
console.log(
  table(
    [
      ['library', 'definition', 'ns', 'by hand', 'difference', 'ratio'],
      ...results.map(({ library, name, ns, hand, over }) => [
        ...[library, name, cell(ns), cell(hand), cell(over), (ns / hand).toFixed(2)],
      ]),
    ],
    2,
  ),
);
console.log(
  '\nMedians of interleaved rounds. Each call creates a request object with its parameters and body, and calls the handler.' +
    '\nby hand: the handler calls the library itself. difference: the median of the differences within each round.',
);
console.log(`\n${save('validation', { ...machine(packages), processes, results })}`);
