/** Loaded into every server before its own code: tells what it has used to the parent, and ends with it. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// A flag that NODE_OPTIONS does not take, by which the probe gets into `fwk dev`.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const tell = {
  cpu: () => process.cpuUsage(),
  /** After everything that can go has gone. */
  async memory() {
    // What one collection finds dead may hold what only the next one frees.
    for (let turn = 0; turn < 4; turn += 1) {
      collect();
      await setImmediate();
    }
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heap: heapUsed };
  },
};

process.on('message', async (what) => process.send(await tell[what]()));
process.on('disconnect', () => process.exit(0));
