import { Console } from 'node:console';
import { isObject, type Logger, type LogLevel, type LogMethod, type Project } from '../../kernel/index.js';
import { LOG_LEVELS, logCall, projectLogger } from '../../scope/index.js';
import type { Source } from './singleton-instance.js';

/** The key of `ctx` for a project's own logger. */
export const OWN_LOGGER = 'logger';

/**
 * A logger that a project provides. A logger with pino's interface gets fields first, and its
 * `child` is called for each request that logs. Any other logger, such as `console`, gets a text,
 * then the thrown value, then the fields.
 */
export interface CustomLogger {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string, ...details: unknown[]): void;
}

const NEEDED = ['debug', 'info', 'warn', 'error'] as const;
const has = (value: unknown, name: string): boolean => isObject(value) && typeof value[name] === 'function';
const isCustom = (value: unknown): value is CustomLogger => NEEDED.every((name) => has(value, name));
const isComplete = (value: unknown): value is Logger =>
  has(value, 'child') && LOG_LEVELS.every((name) => has(value, name));

function loggerMistake(value: unknown): string | undefined {
  const missing = NEEDED.filter((name) => !has(value, name));
  return missing.length === 0 ? undefined : `no function ${missing.join(', ')}`;
}

/** `given` if it is like pino, or else a logger that writes to it. Throws TypeError if it is no logger. */
export function completeLogger(given: unknown): Logger {
  if (isComplete(given)) return given;
  if (isCustom(given)) return completed.get(given) ?? new TextFirstLogger(given);
  throw new TypeError(
    `A logger needs the functions ${NEEDED.join(', ')}, like pino and console; it has ${loggerMistake(given)}`,
  );
}

/** Completed loggers, so that the same logger is completed only once. */
const completed = new WeakMap<CustomLogger, Logger>();

/** Let a project log with the logger that its own file creates. A mistake in the logger is reported. */
export function adoptLogger(value: unknown, sources: readonly Source[], project: Project): void {
  const source = sources.find(({ key }) => key === OWN_LOGGER);
  const mistake = loggerMistake(value);
  // Undefined if the logger could not be created, which has been reported.
  if (mistake === undefined) projectLogger(project).current = completeLogger(value);
  else if (source && value !== undefined)
    project.report(
      source.file,
      `creates a logger that has ${mistake}. Use one with debug, info, warn and error, such as pino's.`,
      'FWK210',
    );
}

/** Writes to a logger whose methods take a text first. */
class TextFirstLogger implements Logger {
  level = 'trace';
  readonly #custom: CustomLogger;
  readonly #fields: Readonly<Record<string, unknown>>;
  // `console.trace` prints the stack of its caller.
  readonly trace = this.#method('debug');
  readonly debug = this.#method('debug');
  readonly info = this.#method('info');
  readonly warn = this.#method('warn');
  readonly error = this.#method('error');
  readonly fatal = this.#method('error');

  constructor(given: CustomLogger, fields: Readonly<Record<string, unknown>> = {}) {
    this.#custom = given;
    this.#fields = fields;
    if (Object.keys(fields).length === 0) completed.set(given, this);
  }

  child(fields: Readonly<Record<string, unknown>>): Logger {
    return new TextFirstLogger(this.#custom, { ...this.#fields, ...fields });
  }

  #method(level: Exclude<LogLevel, 'trace' | 'fatal'>): LogMethod {
    return (first: unknown, ...rest: unknown[]) => {
      const { message, thrown, fields, details } = logCall(first, rest);
      const all = { ...this.#fields, ...fields };
      const known = Object.entries(all).filter(([, value]) => value !== undefined);
      const text = thrown.length > 0 ? `${message}:` : message;
      const more = [...thrown, ...details, ...(known.length > 0 ? [Object.fromEntries(known)] : [])];
      // The logger's promise is returned, because the caller that awaits it learns of its failure.
      // The text is passed as an argument, not as the format: a `%d` in the path of a request must
      // not swallow the error that follows. `Console` is imported, because a test runner may replace
      // the global console by one without this class.
      if (this.#custom instanceof Console) return this.#custom[level]('%s', text, ...more);
      return this.#custom[level](text, ...more);
    };
  }
}
