import type { Kernel, Resolved, Runtime } from '../kernel/internal.js';

/** Serve a kernel's project on `runtime`, which is closed where the project does not boot. */
export async function serveOn(kernel: Kernel, runtime: Runtime): Promise<Resolved> {
  try {
    return await kernel.serve(runtime);
  } catch (thrown) {
    // A plugin may have begun something for the runtime, which would keep this process alive.
    await runtime.close(() => {}).catch(() => {});
    throw thrown;
  }
}
