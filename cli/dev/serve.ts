import { Reloader, type ReloadHost, type ReloadListeners } from '../../app/reload/reloader.js';
import { describeWithCode } from '../../app/report-problems.js';
import { BootError, type ProjectPaths, type Resolved, type Runtime } from '../../kernel/index.js';
import { version } from '../command-line.js';
import { generateWhileServing } from '../files/generate.js';
import { write } from '../files/write.js';
import { modeOfSources, openSources } from '../project.js';
import { terminalLogger } from '../terminal/logger.js';
import { terminalReporter } from './reload-report.js';
import { watch } from './watch/index.js';

export interface Live {
  current(): Resolved | undefined;
  close(): Promise<void>;
}

/** Serve the sources that `locate` finds over the transports of `runtime`, and reload them until it is closed. Resolves when they serve. */
export async function serveLive(
  locate: () => ProjectPaths,
  runtime: Runtime,
  {
    activated = () => {},
    answering = () => {},
    served = () => {},
    isPolled = pollingFromEnvironment(),
  }: Partial<Omit<ReloadListeners, 'imported'>> & { readonly isPolled?: boolean | undefined } = {},
): Promise<Live> {
  const host = hostOf(locate().root);
  const live = new Reloader(locate, runtime, host, {
    imported: (files) => watcher.add(files),
    activated,
    answering,
    served,
  });
  // Watch before the first import, so that files saved during startup count as changes.
  const watcher = watch(
    locate(),
    modeOfSources(),
    {
      pending: (file) => live.pending(file),
      changes: (files) => live.change(files),
      polling: (problem) => console.error(describeWithCode(problem)),
    },
    (file) => live.uses(file),
    isPolled,
  );
  await live.start();
  return {
    current: () => live.current,
    async close() {
      watcher.close();
      await runtime.close(() => live.close());
    },
  };
}

/** True if `FWK_POLL` requests polling of all directories, false if it disables polling. */
function pollingFromEnvironment(): boolean | undefined {
  const given = process.env.FWK_POLL ?? '';
  if (given === '') return undefined;
  if (given === '1' || given === '0') return given === '1';
  throw new BootError({
    message: `FWK_POLL is 1 or 0, not "${given}". Set it to one of them.`,
    code: 'FWK204',
  });
}

const hostOf = (root: string): ReloadHost => ({
  open: (paths, run) => openSources(paths, { logger: terminalLogger(paths.root), ...run }),
  writeTypes: (kernel, paths) => generateWhileServing(kernel, paths, 'types'),
  writeFile: (root, path, contents) => void write(root, [{ path, contents, ifExists: 'replace' }]),
  cacheKey: () => `${version()} ${modeOfSources()}`,
  reporter: terminalReporter(root),
});
