import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { run } from 'uvu/run';
import { endsWithTests } from './harness/cleanup.js';
import { withTerminal } from './harness/in-process.js';

// `node dist/test/run-file.js <file>`: runs a test file as the runner does, and prints how long it took and its processes computed.

/** The unit in which Linux counts the time of processes. */
const TICKS_PER_SECOND = 100;

const [, , file = ''] = process.argv;
// Some harness modules depend on the name of the test file.
process.argv.splice(1, 2, file);
process.on('exit', () => {
  console.log(`  Took:      ${(performance.now() / 1000).toFixed(2)}\n  Computed:  ${computed().toFixed(2)}`);
});
await withTerminal(() => run([{ name: file, file: pathToFileURL(file).pathname }]));
if (endsWithTests()) process.exit();

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
