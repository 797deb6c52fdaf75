import { type Logger, type LogLevel, type LogMethod, messageOf } from '../../kernel/index.js';
import { type LogCall, logCall } from '../../scope/index.js';
import { isWritten } from './options.js';

/** Writes one line. `bound`: a child logger's fields. Throws only if reading the call's fields does. */
export type WriteLine = (level: LogLevel, call: LogCall, bound: Readonly<Record<string, unknown>>) => void;

export class OwnLogger implements Logger {
  level: string;
  readonly #write: WriteLine;
  readonly #bound: Readonly<Record<string, unknown>>;
  readonly trace = this.#method('trace');
  readonly debug = this.#method('debug');
  readonly info = this.#method('info');
  readonly warn = this.#method('warn');
  readonly error = this.#method('error');
  readonly fatal = this.#method('fatal');

  constructor(level: string, write: WriteLine, bound: Readonly<Record<string, unknown>> = {}) {
    this.level = level;
    this.#write = write;
    this.#bound = bound;
  }

  child(fields: Readonly<Record<string, unknown>>): Logger {
    return new OwnLogger(this.level, this.#write, { ...this.#bound, ...fields });
  }

  #method(level: LogLevel): LogMethod {
    return (first: unknown, ...rest: unknown[]) => {
      if (!isWritten(level, this.level)) return;
      try {
        this.#write(level, logCall(first, rest), this.#bound);
      } catch (thrown) {
        // The caller is often handling a failure already, and logging must not cause another one.
        const call = logCall(`The log arguments cannot be read: ${messageOf(thrown)}`, []);
        this.#write(level, call, this.#bound);
      }
    };
  }
}
