import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isCodeLost } from '../../app/code-cache.js';
import { Reloader, type ReloadHost, type ReloadListeners } from '../../app/reload/reloader.js';
import { describeWithCode } from '../../app/report-problems.js';
import type { ProjectPaths, Resolved, Runtime } from '../../kernel/index.js';
import { version } from '../command-line.js';
import { generateBeside } from '../files/generate.js';
import { write } from '../files/write.js';
import { modeOfSources, openSources } from '../project.js';
import { terminalLogger } from '../terminal/logger.js';
import { terminalReporter } from './reload-report.js';
import { watch } from './watch/index.js';

/** Milliseconds without an edit after which a person looks at what the last one did, or thinks. */
const IDLE_MS = 50;

/** What `--expose-gc` gives. */
type Collect = (options: { readonly type: 'minor' }) => void;

/**
 * Collects the young garbage between edits. Each edit makes megabytes of it, for which V8 would make room when there is none left: in
 * the middle of the next one, which would take a fourth longer. What is old is left to V8: after a collection of everything it
 * has to find out anew how the objects look that an edit handles, and the next one takes twice as long.
 */
class IdleCollector {
  /** Undefined where the flags of V8 are fixed. */
  readonly #collect: Collect | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    setFlagsFromString('--expose-gc');
    this.#collect = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
  }

  /** An edit has begun, or the end. */
  postpone(): void {
    clearTimeout(this.#timer);
  }

  /** What an edit led to is done. */
  begin(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#collect?.({ type: 'minor' }), IDLE_MS).unref();
  }
}

/**
 * Edits make garbage in bursts, for which V8 would reserve more and more room though it is collected between them, and each
 * collection would have it forget the code of what only edits run: to compile that again takes a fifth of the next one.
 */
const FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=100', '--no-flush-bytecode'];

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
  {
    activated = () => {},
    answering = () => {},
    served = () => {},
  }: Partial<Omit<ReloadListeners, 'imported'>> = {},
): Promise<Live> {
  let collector: IdleCollector | undefined;
  const host = hostOf(locate().root);
  const live = new Reloader(locate, runtime, host, {
    imported(files) {
      watcher.add(files);
      collector?.begin();
    },
    activated,
    answering,
    served,
  });
  // Watched from before the first import: what is saved while the project starts counts.
  const watcher = await watch(
    locate(),
    modeOfSources(),
    {
      pending(file) {
        collector?.postpone();
        live.pending(file);
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
  if (isCodeLost) (await import('../keep-code.js')).keepCode();
  // Not before: to start with little room takes a fifth longer.
  for (const flag of FLAGS) setFlagsFromString(flag);
  return {
    current: () => live.current,
    async close() {
      collector?.postpone();
      await watcher.close();
      await runtime.close(() => live.close());
    },
  };
}

const hostOf = (root: string): ReloadHost => ({
  open: (paths, run) => openSources(paths, { logger: terminalLogger(paths.root), ...run }),
  writeTypes: (kernel, paths) => generateBeside(kernel, paths, 'types'),
  writeFile: (root, path, contents) => void write(root, [{ path, contents, ifExists: 'replace' }]),
  cacheKey: () => `${version()} ${modeOfSources()}`,
  reporter: terminalReporter(root),
});
