import { BootError, type Logger, messageOf } from '../kernel/index.js';
import { completeLogger, type GivenLogger } from '../plugins/context/index.js';
import { LOG_DEFAULTS, type LogSettings, OwnLogger, ownLogger } from '../plugins/log/index.js';

/** Makes the logger of a project whose config is read. */
export type LoggerMaker = (settings: LogSettings, mode: string) => Logger;

/** Writes to the console, for people, as commands do. */
export const consoleLogger: Logger = ownLogger({ ...LOG_DEFAULTS, format: 'text' }, 'development');

/** Writes nothing. */
export const silentLogger: Logger = new OwnLogger('silent', () => {});

/** The logger that a project was given, or the one that its config describes. Throws a BootError for what is not a logger. */
export function givenOrOwn(given: GivenLogger | undefined): Logger | LoggerMaker {
  if (given === undefined) return ownLogger;
  try {
    return completeLogger(given);
  } catch (thrown) {
    throw new BootError({ message: `The option "logger" is not one. ${messageOf(thrown)}.` });
  }
}
