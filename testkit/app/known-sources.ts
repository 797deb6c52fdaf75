import { statSync } from 'node:fs';
import { isObject, type Metadata, type Project, type ProjectPaths } from '../../kernel/index.js';
import type { SourceLoader } from '../../loader/index.js';

/** The result of the last app that this process has booted from a source directory. */
interface Known {
  readonly loader: SourceLoader;
  /** By the absolute path of each imported file. */
  readonly stamps: ReadonlyMap<string, string>;
  readonly metadata: Metadata;
  readonly environment: string;
}

const known = new Map<string, Known>();

/** For a further app of unchanged sources: the metadata, and a loader that evaluates again without compiling. Undefined after a change. */
export function knownSources({
  source,
}: ProjectPaths): { readonly loader: SourceLoader; readonly metadata: Metadata } | undefined {
  const last = known.get(source);
  if (last?.environment !== environment()) return undefined;
  for (const [file, stamp] of last.stamps) if (stampOf(file)?.text !== stamp) return undefined;
  const loader = last.loader.fresh();
  return loader && { loader, metadata: last.metadata };
}

/** Remember an app that was booted without mistakes. `began`: when its boot began, in milliseconds since the Unix epoch. */
export function rememberSources({ source, run }: Project, loader: SourceLoader, began: number): void {
  const stamps = new Map<string, string>();
  for (const file of loader.files.keys()) {
    const stamp = stampOf(file);
    // The app may have read the text before the file changed.
    if (!stamp || stamp.changedAt >= began) return;
    stamps.set(file, stamp.text);
  }
  // Other metadata only means that a module was checked, which depends on its imports, too.
  const metadata = new Map([...run.recorded].filter(([, value]) => isObject(value)));
  known.set(source, { loader, stamps, metadata, environment: environment() });
}

function stampOf(file: string): { readonly text: string; readonly changedAt: number } | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  return (
    stats && {
      text: `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`,
      changedAt: Math.max(stats.mtimeMs, stats.ctimeMs),
    }
  );
}

/** Modules may read it while they are evaluated. */
const environment = (): string => JSON.stringify(process.env);
