import type { Logger } from '../kernel/index.js';

/** A message is no format: a `%d` in the path of a request must not swallow the error that comes after it. */
const asItIs = (message: unknown): unknown[] => (typeof message === 'string' ? ['%s', message] : [message]);

/** Writes to the console: `debug` and `info` to stdout, `warn` and `error` to stderr. */
export const consoleLogger: Logger = {
  debug: (message, ...details) => console.debug(...asItIs(message), ...details),
  info: (message, ...details) => console.info(...asItIs(message), ...details),
  warn: (message, ...details) => console.warn(...asItIs(message), ...details),
  error: (message, ...details) => console.error(...asItIs(message), ...details),
};

const silence = (): void => {};

/** Writes nothing. */
export const silentLogger: Logger = { debug: silence, info: silence, warn: silence, error: silence };
