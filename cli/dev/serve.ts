import { setFlagsFromString } from 'node:v8';
import type { ProjectPaths, Resolved, Runtime } from '../../kernel/internal.js';
import { addDevPage } from '../../plugins/http/server/dev-pages.js';
import { modeOfSources } from '../project.js';
import { Reloader } from './reloader.js';
import type { Told } from './told.js';
import { watch } from './watch/index.js';

/** Where the manual is: `BASE` of its site, which is loaded when it is asked for. */
const MANUAL = '/_fwk/manual';

/**
 * Edits make garbage in bursts, for which Node reserves room and never gives it back: over hundreds of edits, 200 MB on
 * Node 24. With these flags of V8 it is a tenth of that.
 */
const SMALL_HEAP_FLAGS = ['--optimize-for-size', '--heap-growing-percent=30'];

/** A project that is served and reloaded. */
export interface Live {
  /** The version that serves. */
  current(): Resolved | undefined;
  close(): Promise<void>;
}

/**
 * Serve the sources that `locate` finds over what `runtime` names, and reload them on change, until it is closed. Resolves when
 * they are served.
 */
export async function serveLive(
  locate: () => ProjectPaths,
  runtime: Runtime,
  { activated = () => {}, answering = () => {}, served = () => {} }: Partial<Omit<Told, 'imported'>> = {},
): Promise<Live> {
  const live = new Reloader(locate, runtime, {
    imported: (files) => watcher.add(files),
    activated,
    answering,
    served,
  });
  await addDevPage(runtime, MANUAL, async () =>
    (await import('../manual/site/listener.js')).manualListener(locate().root),
  );
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
  // Not before: to start with little room takes a fifth longer.
  for (const flag of SMALL_HEAP_FLAGS) setFlagsFromString(flag);
  return {
    current: () => live.current,
    async close() {
      await watcher.close();
      await runtime.close(() => live.close());
    },
  };
}
