import type { Logger } from 'fwkit/plugin';

const write = (...said: readonly unknown[]): void => console.error(...said);
const leave = (): void => {};
/** Nothing of the project is started: what it says of how it would run is not of interest here. */
export const QUIET: Logger = {
  level: 'error',
  child: () => QUIET,
  trace: leave,
  debug: leave,
  info: leave,
  warn: leave,
  error: write,
  fatal: write,
};
