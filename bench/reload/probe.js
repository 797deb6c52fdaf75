/** Loaded into the measured process: tells its memory when asked, after everything that can go has gone. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('message', async () => {
  // What one collection finds dead may hold what only the next one frees.
  for (let turn = 0; turn < 4; turn += 1) {
    collect();
    await setImmediate();
  }
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ rss, heap: heapUsed });
});
process.on('disconnect', () => process.exit());
