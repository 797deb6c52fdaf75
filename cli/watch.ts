import { basename, extname, relative, sep } from 'node:path';
import { watch as chokidar } from 'chokidar';
import type { Place } from '../kernel/index.js';

/** Milliseconds in which changes count as one: an editor that saves by renaming makes several events. */
const SETTLE = 15;

const NEVER = new Set(['node_modules', '.git', '.fwk', 'dist']);
const MODULES = new Set(['.ts', '.mts', '.js', '.mjs', '.cts', '.cjs']);
const ROOT_FILES = /^(\.env(\..+)?|tsconfig\.json|package\.json)$/;

/** Call `onChange` with the absolute paths of what changed, once per burst. Resolves when it watches. */
export async function watch(
  { root, source }: Place,
  onChange: (files: ReadonlySet<string>) => void,
  /** Whether the project uses a file that is no module: JSON, say. */
  uses: (file: string) => boolean,
): Promise<{ close(): Promise<void> }> {
  let pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const matters = (file: string): boolean => {
    const inRoot = relative(root, file);
    if (!inRoot.includes(sep)) return ROOT_FILES.test(inRoot) || MODULES.has(extname(file)) || uses(file);
    return MODULES.has(extname(file)) || uses(file);
  };
  const watcher = chokidar(root, {
    ignoreInitial: true,
    // A new file is announced when it can be read, not when it is renamed over; see `atomic` in chokidar's README.
    atomic: false,
    ignored: (path) => NEVER.has(basename(path)) && path !== root && path !== source,
  });
  watcher.on('all', (event, file) => {
    if (event === 'addDir' || event === 'unlinkDir' || !matters(file)) return;
    pending.add(file);
    clearTimeout(timer);
    timer = setTimeout(() => {
      onChange(pending);
      pending = new Set();
    }, SETTLE);
  });
  await new Promise<void>((resolve, reject) => watcher.once('ready', resolve).once('error', reject));
  return {
    close() {
      clearTimeout(timer);
      return watcher.close();
    },
  };
}
