import { BootError, type Logger, messageOf } from '../kernel/index.js';
import { type CustomLogger, completeLogger } from '../plugins/context/internal.js';
import {
  LOG_DEFAULTS,
  type LogSettings,
  levelOfEnvironment,
  OwnLogger,
  ownLogger,
} from '../plugins/log/index.js';

export type LoggerMaker = (settings: LogSettings, mode: string) => Logger;

/** Writes to the console, for users, as commands do. Throws a BootError for an unknown level in the environment. */
export const consoleLogger = (): Logger => ownLogger({ ...LOG_DEFAULTS, format: 'text' }, 'development');

export const silentLogger: Logger = new OwnLogger('silent', () => {});

export const loggerOrDefault = (given: CustomLogger | undefined): Logger | LoggerMaker =>
  given === undefined ? ownLogger : loggerOf(given);

export function loggerOf(given: CustomLogger): Logger {
  try {
    return completeLogger(given);
  } catch (thrown) {
    throw new BootError({ message: `Invalid option "logger". ${messageOf(thrown)}.`, code: 'FWK210' });
  }
}

/** The logger, and its settings for another process: undefined if a logger was passed, or none has been made yet. */
export function recorded(given: CustomLogger | undefined) {
  const chosen = loggerOrDefault(given);
  let recordedSettings: LogSettings | undefined;
  const record: LoggerMaker = (settings, mode) => {
    // The other process may not have read the `.env` file with the level. Functions cannot be sent, and it answers no requests.
    recordedSettings = { ...settings, access: false, level: levelOfEnvironment() ?? settings.level };
    return ownLogger(settings, mode);
  };
  return { logger: typeof chosen === 'function' ? record : chosen, settings: () => recordedSettings };
}
