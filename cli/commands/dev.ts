import { Signals } from '../../app/signals.js';
import { BootError, LAST_PORT, Runtime, readWhole } from '../../kernel/host.js';
import { serveLive } from '../dev/serve.js';
import { pathsOf } from '../project.js';
import { listening } from '../terminal/report.js';
import type { Flags } from './index.js';

/** Serve the sources and reload them on change, until SIGINT, SIGTERM or SIGHUP. */
export async function run(flags: Flags): Promise<void> {
  const signals = new Signals();
  const runtime = new Runtime('http', String(flags.host), readPort(flags.port), true);
  // Absolute: the project may leave the directory that this was started in.
  const { root } = pathsOf(flags);
  const serving = await serveLive(() => pathsOf({ dir: root }), runtime);
  const stopped = signals.stopped('SIGHUP');
  for (const url of runtime.urls) console.log(listening(url));

  await stopped;
  await serving.close();
  if (runtime.cutOff) process.exitCode = 1;
}

function readPort(given: unknown): number {
  const port = readWhole(String(given), 0, LAST_PORT);
  if (port !== undefined) return port;
  throw new BootError({ message: `--port takes a whole number from 0 to 65535, not "${given}".` });
}
