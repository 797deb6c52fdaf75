import type { Logger } from 'fwkit/plugin';

const leave = (): void => {};
const write = (...said: readonly unknown[]): void => console.error(...said);

/** Writes nothing: what guards log is no part of a report. */
export const SILENT: Logger = {
  level: 'silent',
  trace: leave,
  debug: leave,
  info: leave,
  warn: leave,
  error: leave,
  fatal: leave,
  child: () => SILENT,
};

/** Writes errors alone: where nothing of the project is started, what it says of how it would run is not of interest. */
export const QUIET: Logger = { ...SILENT, level: 'error', error: write, fatal: write, child: () => QUIET };
