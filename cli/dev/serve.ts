import { setFlagsFromString } from 'node:v8';
import { describeWithCode, type ProjectPaths, type Resolved, type Runtime } from '../../kernel/internal.js';
import { addDevPage } from '../../plugins/http/server/dev-pages.js';
import { modeOfSources } from '../project.js';
import { IdleCollector } from './idle-collector.js';
import { Reloader } from './reloader.js';
import type { Told } from './told.js';
import { watch } from './watch/index.js';

/** Where the manual is: `BASE` of its site, which is loaded when it is asked for. */
const MANUAL = '/_fwk/manual';

/**
 * Edits make garbage in bursts, for which V8 would reserve 200 MB over hundreds of edits. With these flags it is a fourth of that,
 * which goes back to the system after ten to thirty seconds without an edit. `--optimize-for-size` gives it back at once, but
 * an edit takes a third longer with it.
 */
const SMALL_HEAP_FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=30'];

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
  let collector: IdleCollector | undefined;
  const live = new Reloader(locate, runtime, {
    imported(files) {
      watcher.add(files);
      collector?.begin();
    },
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
      pending() {
        collector?.postpone();
        live.pending();
      },
      changes(files) {
        live.change(files);
        if (files.size === 0) collector?.begin();
      },
      failed: (problem) => console.error(describeWithCode(problem)),
    },
    (file) => live.uses(file),
  );
  await live.start();
  collector = new IdleCollector();
  collector.begin();
  // Not before: to start with little room takes a fifth longer.
  for (const flag of SMALL_HEAP_FLAGS) setFlagsFromString(flag);
  return {
    current: () => live.current,
    async close() {
      collector?.postpone();
      await watcher.close();
      await runtime.close(() => live.close());
    },
  };
}
