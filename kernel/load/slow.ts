import { relative } from 'node:path';
import type { Loader } from './index.js';

/** Milliseconds in which what waits must have come no further before it is told. */
const PATIENCE = 2_000;

/** How many are named: what waits for one that waits is no news. */
const NAMED = 5;

/**
 * Until the returned function is called, tell on stderr what `waiting` lists, while nothing else moves: a start that
 * hangs must say where. Written past every logger, since commands silence theirs while they boot.
 *
 * @param waiting a file, and what of it is not done: `src/api/x.ts: waits in a top-level await`
 */
export function tellWaiting(waiting: () => readonly string[]): () => void {
  let before = '';
  let told = '';
  const tell = (rest: string): void => {
    for (const line of waiting().slice(0, NAMED)) process.stderr.write(`${line} ${rest}\n`);
  };
  const look = (): void => {
    const now = waiting().join('\n');
    const isStuck = now === before && told !== now;
    before = now;
    if (!isStuck) return;
    told = now;
    tell(`for more than ${PATIENCE / 1000} seconds. Nothing newer is served until it is done.`);
  };
  // Nothing is left that could wake them. Node would end the process with a place in our own code.
  const end = (): void => {
    tell('for what never comes: nothing else is running. Mend it there.');
    if (waiting().length > 0) process.exitCode = 1;
  };
  const timer = setInterval(look, PATIENCE).unref();
  process.once('beforeExit', end);
  return () => {
    clearInterval(timer);
    process.off('beforeExit', end);
  };
}

/** The modules that a loader waits for. */
export const waitingModules = (loader: Loader, root: string): string[] =>
  [...loader.evaluating].map((file) => `${relative(root, file)}: waits in a top-level await`).sort();
