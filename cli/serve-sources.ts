import { serveOn } from '../app/create-app.js';
import type { Served } from '../contributions/index.js';
import { type Kernel, Runtime } from '../kernel/index.js';
import { settledWithin } from '../plugins/context/index.js';
import { serverOf } from '../plugins/http/index.js';
import { httpTransport } from '../plugins/http/internal.js';
import { mute } from './terminal/mute.js';

/** How long a project may take to shut down, in milliseconds. After that, the command ends anyway. */
const END_MS = 5_000;

/** Serve a project without its output on a free port of 127.0.0.1. Rejects with a BootError if it does not boot. */
export async function serveSources(open: () => Promise<Kernel>): Promise<Served> {
  const unmute = mute();
  try {
    const transport = httpTransport('127.0.0.1', 0);
    const runtime = new Runtime({ transport, reloads: false });
    const { project, routes, close } = await serveOn(await open(), runtime);
    const { shutdown } = await serverOf(runtime);
    return {
      project,
      routes,
      url: transport.urls[0] ?? '',
      async close() {
        // The requests come from this process, which no longer waits for responses.
        shutdown.drainLimit = 0;
        const ended = runtime.close(close);
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
