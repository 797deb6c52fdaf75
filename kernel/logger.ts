/** The levels of a logger. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Writes one line: a text, or fields and a text. An error belongs in the field `err`. */
export interface LogMethod {
  (fields: object, message?: string, ...details: unknown[]): void;
  (message: string, ...details: unknown[]): void;
}

/** Where the framework and the project write what happens: pino's interface. `ctx.logger` is one. */
export interface Logger extends Readonly<Record<LogLevel, LogMethod>> {
  /** The least severe level that is written, or `silent`. */
  level: string;
  /** A logger whose lines have these fields, too. */
  child(fields: Readonly<Record<string, unknown>>): Logger;
}
