/** Preloaded into every server: reports resource usage to the parent, and exits with the parent. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// NODE_OPTIONS doesn't allow this flag, and `fwk dev` loads the probe through NODE_OPTIONS.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const tell = {
  cpu: () => process.cpuUsage(),
  /** Reports the memory after full collections. */
  async memory() {
    // A finalizer that runs in one collection can release memory that only the next collection frees.
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
