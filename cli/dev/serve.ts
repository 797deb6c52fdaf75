import { setFlagsFromString } from 'node:v8';
import type { Place, Shell } from '../../kernel/host.js';
import { modeOfSources } from '../project.js';
import { Live } from './reloader.js';
import { watch } from './watch/index.js';

/**
 * Edits make garbage in bursts, for which Node reserves room and never gives it back: over hundreds of edits, 200 MB on
 * Node 24. With these flags of V8 it is a tenth of that.
 */
const FRUGAL = ['--optimize-for-size', '--heap-growing-percent=30'];

/** Serve the sources that `locate` finds over what `shell` names, and reload them on change, until it is closed. */
export async function serveLive(locate: () => Place, shell: Shell): Promise<{ close(): Promise<void> }> {
  for (const flag of FRUGAL) setFlagsFromString(flag);
  const live = new Live(locate, shell, (files) => watcher.add(files));
  // Watched from before the first import: what is saved while the project starts counts.
  const watcher = await watch(
    locate(),
    modeOfSources(),
    {
      pending: () => live.pending(),
      changes: (files) => live.change(files),
      failed: ({ message }) => console.error(message),
    },
    (file) => live.uses(file),
  );
  await live.start();
  return {
    async close() {
      await watcher.close();
      await shell.close();
      await live.close();
    },
  };
}
