import { statSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import { watch as chokidar } from 'chokidar';
import type { Place } from '../kernel/host.js';

/** Milliseconds in which changes count as one: an editor that saves by renaming makes several events. */
const SETTLE = 4;

/** How long an empty file is given to be filled: some programs truncate first and write later. */
const SETTLE_EMPTY = 60;

const NEVER = new Set(['node_modules', '.git', '.fwk', 'dist']);
const MODULES = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']);
const ROOT_FILES = /^(\.env(\..+)?|tsconfig\.json|package\.json)$/;

export type Change = 'added' | 'changed' | 'removed';

/** Whether `file` counts for nothing but its code. */
export const isModule = (file: string): boolean =>
  MODULES.has(extname(file)) && !/^fwk\.config\./.test(basename(file));

/** Call `onChange` with the absolute paths of what changed, once per burst. Resolves when it watches. */
export async function watch(
  { root, source }: Place,
  on: { pending(): void; changes(files: ReadonlyMap<string, Change>): void },
  /** Whether the project uses a file that is no module: JSON, say. */
  uses: (file: string) => boolean,
): Promise<{ close(): Promise<void> }> {
  let pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const told = new Map<string, string>();

  const watcher = chokidar(root, {
    ignoreInitial: true,
    ignored: (path) => NEVER.has(basename(path)) && path !== root && path !== source,
  });
  watcher.on('all', (event, file) => {
    if (event !== 'addDir' && event !== 'unlinkDir') mark(file);
  });
  // chokidar drops a change that follows another within 50 ms (save, then format); its raw events tell of all.
  watcher.on('raw', (_event, name, details) => {
    const { watchedPath } = details as { watchedPath: string };
    // Both the file and its directory are watched, and each tells the file's name.
    mark(basename(watchedPath) === name ? watchedPath : join(watchedPath, name));
  });
  await new Promise<void>((resolve, reject) => watcher.once('ready', resolve).once('error', reject));
  return {
    close() {
      clearTimeout(timer);
      return watcher.close();
    },
  };

  function mark(file: string): void {
    if (!matters(file)) return;
    on.pending();
    pending.add(file);
    clearTimeout(timer);
    timer = setTimeout(flush, size(file) === 0 ? SETTLE_EMPTY : SETTLE);
  }

  /** Several events tell of one change, some of them late: a file counts when it is another than when last told. */
  function flush(): void {
    const changed = new Set([...pending].filter((file) => told.get(file) !== signature(file)));
    for (const file of changed) told.set(file, signature(file));
    pending = new Set();
    on.changes(new Map([...changed].map((file) => [file, 'changed'])));
  }

  function matters(file: string): boolean {
    const atRoot = !relative(root, file).includes(sep);
    return MODULES.has(extname(file)) || (atRoot && ROOT_FILES.test(basename(file))) || uses(file);
  }
}

const size = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;

function signature(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : 'gone';
}
