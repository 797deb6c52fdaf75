import { serveOn } from '../app/create-app.js';
import type { Served } from '../contributions/index.js';
import { type Kernel, Runtime } from '../kernel/index.js';
import { settledWithin } from '../plugins/context/index.js';
import { serverOf } from '../plugins/http/index.js';
import { httpTransport } from '../plugins/http/internal.js';
import { mute } from './terminal/mute.js';

/** How long a project may take to shut down, in milliseconds. After that, the command ends anyway. */
const END_MS = 5_000;

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

/** The requests come from this process, which no longer waits for responses when it closes the project. */
const DRAIN_LIMIT_MS = 0;

/** Serve a kernel's project on a free port of 127.0.0.1. Rejects with a BootError if it does not boot. */
async function serveKernel(kernel: Kernel): Promise<Served> {
  const transport = httpTransport('127.0.0.1', 0);
  const runtime = new Runtime({ transport, reloads: false });
  const { project, routes, close } = await serveOn(kernel, runtime);
  const { shutdown } = await serverOf(runtime);
  return {
    project,
    routes,
    url: transport.urls[0] ?? '',
    close() {
      shutdown.drainLimit = DRAIN_LIMIT_MS;
      return runtime.close(close);
    },
  };
}
