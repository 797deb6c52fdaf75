import type { Logger, LogLevel, LogMethod } from '../../kernel/index.js';
import type { GivenLogger } from '../../plugins/context/internal.js';
import { logCall } from '../../scope/index.js';

/** What an app logged as an error: a handler, a callback of a socket or a tool has thrown, say. */
export interface TestFailure {
  /** The line of the log: `GET /api/books failed in src/api/books.get.ts`. */
  readonly message: string;
  /** What was thrown; undefined where nothing was. */
  readonly error: unknown;
}

/** The errors alone, on stderr with their stacks: a test that gets a 500 shows why. */
export const errorsOnly: GivenLogger = {
  debug() {},
  info() {},
  warn() {},
  error(message, ...details) {
    // It is no format: a `%d` in it would swallow what failed.
    console.error('%s', message, ...details);
  },
};

/** Notes in `failures` what is logged as an error, and hands all lines on to `inner`. */
export class FailureLogger implements Logger {
  readonly #inner: Logger;
  readonly #failures: TestFailure[];
  readonly trace = this.#method('trace');
  readonly debug = this.#method('debug');
  readonly info = this.#method('info');
  readonly warn = this.#method('warn');
  readonly error = this.#method('error');
  readonly fatal = this.#method('fatal');

  constructor(inner: Logger, failures: TestFailure[]) {
    this.#inner = inner;
    this.#failures = failures;
  }

  get level(): string {
    return this.#inner.level;
  }

  set level(level: string) {
    this.#inner.level = level;
  }

  child(fields: Readonly<Record<string, unknown>>): Logger {
    return new FailureLogger(this.#inner.child(fields), this.#failures);
  }

  #method(level: LogLevel): LogMethod {
    return (first: object | string, ...rest: unknown[]): void => {
      if (level === 'error' || level === 'fatal') {
        const { message, thrown } = logCall(first, rest);
        this.#failures.push({ message, error: thrown[0] });
      }
      // What a logger promises is returned: whoever awaits it hears of its failure.
      return Reflect.apply(this.#inner[level], this.#inner, [first, ...rest]);
    };
  }
}
