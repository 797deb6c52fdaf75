import { type Kernel, Runtime, type Served } from '../kernel/internal.js';
import { OneProcess } from '../peers/index.js';
import { httpTransport, serverOf } from '../plugins/http/index.js';
import { serveOn } from './serve-on.js';

/** Who asks is in this process, and waits for no answer any more when it closes what it asked. */
const DRAIN_LIMIT_MS = 0;

/** Serve a kernel's project on a free port of 127.0.0.1. Rejects with a BootError where it does not boot. */
export async function serveKernel(kernel: Kernel): Promise<Served> {
  const transport = httpTransport('127.0.0.1', 0);
  const runtime = new Runtime({ transport, reloads: false, peers: new OneProcess() });
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
