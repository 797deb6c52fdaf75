import { type Logger, type LogLevel, messageOf } from '../../kernel/index.js';
import { LOG_LEVELS, type LogText, logCall } from '../../scope/index.js';
import { isSecret, maskText } from './masking.js';

/** Maximum length of a stored line, in characters. */
const MAX_LINE = 4_000;

/** Called for each log line of a request. `textOf` builds the line when it is stored. */
export type NoteLine = (requestId: string | undefined, level: LogLevel, textOf: () => string) => void;

interface LineRecorder {
  readonly note: NoteLine;
  readonly logText: LogText;
}

/** Record everything that `logger` logs: a proxy, because it may have members that fwk does not know. */
export function notedLogger(logger: Logger, recorder: LineRecorder, requestId?: string): Logger {
  return new Proxy(Object.create(null) as Logger, {
    get(_target, key) {
      const value: unknown = Reflect.get(logger, key);
      if (typeof value !== 'function') return value;
      if (key === 'child')
        return (...given: unknown[]) => {
          const { requestId: id } = Object(given[0]);
          return notedLogger(
            Reflect.apply(value, logger, given) as Logger,
            recorder,
            typeof id === 'string' ? id : requestId,
          );
        };
      if (!isLevel(key)) return value.bind(logger);
      return (...given: unknown[]) => {
        recorder.note(requestId, key, () => lineOf(given, recorder.logText));
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

/** The text of a log call. The arguments may be anything, and reading them may throw. */
function lineOf([first, ...rest]: readonly unknown[], logText: LogText): string {
  try {
    const call = logCall(first, rest);
    const { message, rest: more } = logText(call, call.fields, isSecret);
    const shown = [message, ...call.thrown.map(headlineOf), more];
    const text = shown.filter(Boolean).join(' ');
    return maskText(text.slice(0, 2 * MAX_LINE)).slice(0, MAX_LINE);
  } catch {
    return 'The log arguments cannot be read';
  }
}

const headlineOf = (thrown: unknown): string =>
  thrown instanceof Error ? String(thrown) : messageOf(thrown);
