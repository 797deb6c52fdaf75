/** The levels of a logger, the least severe first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
/** A level of a logger: a method of its has that name. */
export type LogLevel = (typeof LOG_LEVELS)[number];

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

/** Filled by the generated types where the project's own logger takes the place of the framework's. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging.
export interface ProjectLoggers {}

/** The type of `ctx.logger`. */
export type CtxLogger = ProjectLoggers extends { readonly logger: infer Own } ? Own : Logger;

/** The logger of one version. Another may take the place of the one that it began with; who holds this one writes to that then. */
export class ProjectLogger implements Logger {
  /** The logger that is written to. */
  current: Logger;
  /** The one that it began with. */
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

  #method(level: LogLevel): LogMethod {
    return (first: object | string, ...rest: unknown[]): void =>
      Reflect.apply(this.current[level], this.current, [first, ...rest]);
  }
}

/** The member of what a scope serves that says which fields its lines have: a request's id, say. Read when it is first logged. */
export const logFields = Symbol.for('fwkit.logFields');

/** The logger of the scope of `origin`: that itself, where a project's own cannot have children. */
export function scopeLogger(logger: Logger, origin: unknown): Logger {
  const fields = (origin as { readonly [logFields]?: Readonly<Record<string, unknown>> } | undefined)?.[
    logFields
  ];
  if (fields === undefined) return logger;
  try {
    return logger.child(fields);
  } catch {
    return logger;
  }
}
