import { relative } from 'node:path';
import type { OwnCode, ReportStalls } from '../kernel/index.js';
import type { Loader } from './loader.js';

/** Milliseconds without progress after which the waiting work is reported. */
const REPORT_AFTER_MS = 2_000;

/**
 * The CPU time, in microseconds, with which a process still makes progress in that time. One that waits for a promise uses
 * less, and one that computes gets more even on a busy machine.
 */
const PROGRESS_US = 50_000;

const CODE: OwnCode = 'FWK110';

/** How many items are listed: work that waits for a listed item adds no information. */
const MAX_NAMED_MODULES = 5;

/**
 * Until the returned function is called, report the items of `waiting` on stderr while nothing makes progress. Written directly, because
 * commands silence loggers while they boot.
 *
 * @param waiting a file, and its unfinished work: `src/api/x.ts: waits in a top-level await`
 */
export function reportWaiting(waiting: () => readonly string[]): () => void {
  let before = '';
  let reported = '';
  const report = (lines: readonly string[], rest: string): void => {
    for (const line of lines.slice(0, MAX_NAMED_MODULES)) process.stderr.write(`${CODE} ${line} ${rest}\n`);
  };
  let cpu = process.cpuUsage();
  const check = (): void => {
    const lines = waiting();
    const now = lines.join('\n');
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    const isStuck = now === before && reported !== now && user + system < PROGRESS_US;
    before = now;
    if (!isStuck) return;
    reported = now;
    report(
      lines,
      `for more than ${REPORT_AFTER_MS / 1000} seconds. Nothing newer is served until it is done.`,
    );
  };
  // No pending work could resume it. Node would exit and name a line of fwk's own code.
  const end = (): void => {
    const lines = waiting();
    report(lines, 'that never settles: nothing else is running. Fix it there.');
    if (lines.length > 0) process.exitCode = 1;
  };
  const timer = setInterval(check, REPORT_AFTER_MS).unref();
  process.once('beforeExit', end);
  return () => {
    clearInterval(timer);
    process.off('beforeExit', end);
  };
}

/** Reports what a phase of a run waits for: modules that `loader` is loading, other work on files, or else the plugin whose tap runs. */
export function stallReporter(loader: Loader, root: string): ReportStalls {
  return (progress) =>
    reportWaiting(() => {
      const modules = waitingModules(loader, root);
      const { files, plugin } = progress();
      const lines = [...modules, ...files];
      return lines.length > 0 || plugin === undefined ? lines : [plugin];
    });
}

export function waitingModules(loader: Loader, root: string): string[] {
  const shown = (file: string): string => loader.sourceOf?.(file) ?? relative(root, file);
  return [...loader.evaluating].map((file) => `${shown(file)}: waits in a top-level await`).sort();
}
