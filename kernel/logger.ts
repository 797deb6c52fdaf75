/** Where the framework and the project write what happens. `ctx.logger` is one. */
export interface Logger {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}

/** Writes to the console: `debug` and `info` to stdout, `warn` and `error` to stderr. */
export const consoleLogger: Logger = {
  debug: (message, ...details) => console.debug(message, ...details),
  info: (message, ...details) => console.info(message, ...details),
  warn: (message, ...details) => console.warn(message, ...details),
  error: (message, ...details) => console.error(message, ...details),
};

const silence = (): void => {};

/** Writes nothing. */
export const silentLogger: Logger = { debug: silence, info: silence, warn: silence, error: silence };
