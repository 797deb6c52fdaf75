import { setFlagsFromString } from 'node:v8';
import { BootError, Shell, untilStopped } from '../../kernel/host.js';
import type { Flags } from '../command.js';
import { Live } from '../live.js';
import { placeOf } from '../project.js';
import { listening } from '../report.js';
import { watch } from '../watch/index.js';

/**
 * Edits make garbage in bursts, for which Node reserves room and never gives it back: over hundreds of edits, 200 MB on
 * Node 24. With this flag of V8 it is 10 MB.
 */
const FRUGAL = '--optimize-for-size';

/** Serve the sources and reload them on change, until SIGINT or SIGTERM. */
export async function run(flags: Flags): Promise<void> {
  const place = placeOf(flags);
  setFlagsFromString(FRUGAL);
  const shell = new Shell('http', String(flags.host), readPort(flags.port), true);
  const live = new Live(place, shell, (files) => watcher.add(files));
  // Watched from before the first import: what is saved while the project starts counts.
  const watcher = await watch(
    place,
    {
      pending: () => live.pending(),
      changes: (files) => live.change(files),
      failed: ({ message }) => console.error(message),
    },
    (file) => live.uses(file),
  );
  await live.start();
  const stopped = untilStopped();
  for (const url of shell.urls) console.log(listening(url));

  await stopped;
  await watcher.close();
  await shell.close();
  await live.close();
  if (shell.cutOff) process.exitCode = 1;
}

function readPort(given: unknown): number {
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new BootError({ message: `--port takes a whole number from 0 to 65535, not "${given}".` });
}
