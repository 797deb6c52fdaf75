import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { run } from 'uvu/run';
import { endHanging, endsWithTests, whenStopped } from './harness/cleanup.js';
import { withTerminal } from './harness/in-process.js';

// `node dist/test/run-file.js <file…>` runs test files one after another in this process, as the runner does, and
// prints for each whether it passed, its duration and its CPU time.

declare global {
  var UVU_QUEUE: unknown[] | undefined;
}

/** How long a process may stay alive after its tests, in milliseconds. */
const ENDING_LIMIT_MS = 10_000;
/** The unit in which Linux counts the time of processes. */
const TICKS_PER_SECOND = 100;

let hasFailed = false;
let runningTest = '';
// uvu writes the name of the running test to the state of its suite, and exposes neither.
Object.defineProperty(Object.prototype, '__test__', {
  configurable: true,
  set(this: { readonly __suite__?: string }, name: string) {
    runningTest = name && `${this.__suite__} "${name}"`;
  },
});
whenStopped(() => console.error(runningTest ? `Still running: ${runningTest}` : 'No test is running.'));

for (const file of process.argv.splice(2)) await withTerminal(() => runFile(file));
// A failed test may leave processes or timers.
if (hasFailed || endsWithTests()) process.exit();
setTimeout(() => {
  const resources = process.getActiveResourcesInfo().join(', ');
  console.error(`The tests have ended, but these resources keep the process alive: ${resources}`);
  endHanging();
}, ENDING_LIMIT_MS).unref();

async function runFile(file: string): Promise<void> {
  // Some harness modules depend on the name of the test file.
  process.argv[1] = file;
  const begun = { at: performance.now(), computed: computed() };
  console.log(`Begins: ${file}`);
  globalThis.UVU_QUEUE?.splice(0);
  await run([{ name: file, file: pathToFileURL(file).pathname }]);
  const took = (performance.now() - begun.at) / 1000;
  console.log(
    `  Took:      ${took.toFixed(2)}\n  Computed:  ${(computed() - begun.computed).toFixed(2)}\nEnds: ${process.exitCode ?? 0}`,
  );
  hasFailed ||= Boolean(process.exitCode);
  process.exitCode = undefined;
}

/** Seconds that this process and the children that it waited for have computed; 0 if the system is not Linux. */
function computed(): number {
  try {
    const [, after = ''] = readFileSync('/proc/self/stat', 'utf8').split(/\) (?=\w )/);
    const ticks = after.split(' ').slice(11, 15).map(Number);
    return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
