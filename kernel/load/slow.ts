import { relative } from 'node:path';
import type { Loader } from './index.js';

/** Milliseconds in which modules that wait must have come no further before they are told. */
const PATIENCE = 2_000;

/** How many modules are named: what waits for one that waits is no news. */
const NAMED = 5;

/**
 * Until the returned function is called, tell on stderr which modules wait in a top-level `await` while nothing else
 * moves: a start that hangs must say where. Written past every logger, since commands silence theirs while they boot.
 */
export function watchImports(loader: Loader, root: string): () => void {
  let before: readonly string[] = [];
  let told = '';
  const waiting = (): readonly string[] => [...loader.evaluating].sort();
  const tell = (files: readonly string[], rest: string): void => {
    for (const file of files.slice(0, NAMED))
      process.stderr.write(`${relative(root, file)}: waits in a top-level await ${rest}\n`);
  };
  const look = (): void => {
    const now = waiting();
    const stuck = now.join('\n') === before.join('\n') && told !== now.join('\n');
    before = now;
    if (!stuck) return;
    told = now.join('\n');
    tell(now, `for more than ${PATIENCE / 1000} seconds. The start waits for it.`);
  };
  // Nothing is left that could wake them. Node would end the process with a place in our own code.
  const end = (): void => {
    tell(waiting(), 'for what never comes: nothing else is running. Mend it there.');
    if (waiting().length > 0) process.exitCode = 1;
  };
  const timer = setInterval(look, PATIENCE).unref();
  process.once('beforeExit', end);
  return () => {
    clearInterval(timer);
    process.off('beforeExit', end);
  };
}
