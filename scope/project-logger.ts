import type { Logger, LogLevel, LogMethod, Project } from '../kernel/index.js';

/** The levels of a logger, the least severe first. */
export const LOG_LEVELS = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
] as const satisfies readonly LogLevel[];

/** The logger of a project. Another logger can replace it. */
export function projectLogger({ logger }: Project): ProjectLogger {
  if (logger instanceof ProjectLogger) return logger;
  throw new Error('the logger of a project is a ProjectLogger');
}

/** The logger of one version. If another logger replaces `first`, holders of this object write to `current`. */
export class ProjectLogger implements Logger {
  current: Logger;
  readonly first: Logger;
  readonly trace = this.#method('trace');
  readonly debug = this.#method('debug');
  readonly info = this.#method('info');
  readonly warn = this.#method('warn');
  readonly error = this.#method('error');
  readonly fatal = this.#method('fatal');

  constructor(first: Logger) {
    this.current = first;
    this.first = first;
  }

  get level(): string {
    return this.current.level;
  }

  set level(level: string) {
    this.current.level = level;
  }

  child(fields: Readonly<Record<string, unknown>>): Logger {
    return this.current.child(fields);
  }

  /** Returns the result of the current logger, so that a caller that awaits it sees its failure. */
  protected write(level: LogLevel, first: object | string, rest: readonly unknown[]): void {
    return Reflect.apply(this.current[level], this.current, [first, ...rest]);
  }

  #method(level: LogLevel): LogMethod {
    return (first: object | string, ...rest: unknown[]): void => this.write(level, first, rest);
  }
}
