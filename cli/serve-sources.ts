import { serveKernel } from '../app/serve-kernel.js';
import type { Kernel, Served } from '../kernel/internal.js';
import { settledWithin } from '../plugins/context/index.js';
import { mute } from './terminal/mute.js';

/** How long a project may take to end, in milliseconds. What is left then ends with the command. */
const END_MS = 5_000;

/** Serve a project to the command that runs, and lose what it writes until it is closed. */
export async function serveSources(open: () => Promise<Kernel>): Promise<Served> {
  const unmute = mute();
  try {
    const served = await serveKernel(await open());
    return {
      ...served,
      async close() {
        const ended = served.close();
        const isOver = await settledWithin(ended, END_MS);
        unmute();
        if (isOver) await ended;
      },
    };
  } catch (thrown) {
    unmute();
    throw thrown;
  }
}
