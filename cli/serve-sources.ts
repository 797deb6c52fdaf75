import { serveKernel } from '../app/serve-kernel.js';
import type { Kernel, Served } from '../kernel/internal.js';
import { mute } from './terminal/mute.js';

/** Serve a project to the command that runs, and lose what it writes until it is closed. */
export async function serveSources(open: () => Promise<Kernel>): Promise<Served> {
  const unmute = mute();
  try {
    const served = await serveKernel(await open());
    return { ...served, close: () => served.close().finally(unmute) };
  } catch (thrown) {
    unmute();
    throw thrown;
  }
}
