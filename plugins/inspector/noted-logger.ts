import { inspect } from 'node:util';
import { LOG_LEVELS, type Logger, type LogLevel, logCall } from '../../kernel/index.js';
import { masked, maskedText } from './masking.js';
import type { LogLine } from './record.js';

/** The longest line that is kept, in characters. */
const MAX_LINE = 4_000;

/** Gets each line, and the id of the request that it was logged for. */
export type NoteLine = (line: LogLine, requestId: string | undefined) => void;

/**
 * A logger that does all that `logger` does, and notes what is logged. A proxy: a project's own logger may have more than the
 * framework knows of.
 */
export function notedLogger(logger: Logger, note: NoteLine, requestId?: string): Logger {
  return new Proxy(Object.create(null) as Logger, {
    get(_target, key) {
      const value: unknown = Reflect.get(logger, key);
      if (typeof value !== 'function') return value;
      if (key === 'child')
        return (...given: unknown[]) => {
          const { requestId: id } = Object(given[0]);
          return notedLogger(
            Reflect.apply(value, logger, given) as Logger,
            note,
            typeof id === 'string' ? id : requestId,
          );
        };
      if (!isLevel(key)) return value.bind(logger);
      return (...given: unknown[]) => {
        note({ at: Date.now(), level: key, text: lineOf(given) }, requestId);
        return Reflect.apply(value, logger, given);
      };
    },
    set: (_target, key, value) => Reflect.set(logger, key, value),
    has: (_target, key) => Reflect.has(logger, key),
    getPrototypeOf: () => Reflect.getPrototypeOf(logger),
  });
}

const isLevel = (key: string | symbol): key is LogLevel =>
  typeof key === 'string' && LOG_LEVELS.some((level) => level === key);

/** What a call says. Whatever was given to be logged: reading it may throw. */
function lineOf([first, ...rest]: readonly unknown[]): string {
  try {
    const { message, thrown, fields, details } = logCall(first, rest);
    const shown = [
      ...thrown.map((error) => (error instanceof Error ? String(error) : inspect(error))),
      ...details.map((detail) => inspect(masked(detail), { depth: 4 })),
      ...(Object.keys(fields).length > 0 ? [inspect({ ...Object(masked(fields)) }, { depth: 4 })] : []),
    ];
    return maskedText([message, ...shown].join(' ').slice(0, 2 * MAX_LINE)).slice(0, MAX_LINE);
  } catch {
    return 'What was to be logged cannot be read';
  }
}
