import { definePlugin, type Logger, type OptionValues, type Plugin } from '../../kernel/index.js';
import { observeRequests, serverOf, servesHttp } from '../http/index.js';
import { accessLog, logClosedSockets } from './access-log.js';
import { jsonLines } from './json-line.js';
import { levelOfEnvironment } from './levels.js';
import { logOptions } from './options.js';
import { OwnLogger, type WriteLine } from './own-logger.js';
import { logParserErrors } from './parser-errors.js';
import { type IsSecret, secretNames } from './redaction.js';
import { textLine, textLines } from './text-line.js';
import { warnOfUnheeded } from './unheeded.js';

export type { AccessLine } from './access-fields.js';
export { levelOfEnvironment } from './levels.js';
export { type AccessOptions, logOptions } from './options.js';
export { OwnLogger, type WriteLine } from './own-logger.js';
export type { IsSecret } from './redaction.js';
export { textLine } from './text-line.js';

export type LogSettings = OptionValues<typeof logOptions>;

/** The settings of a project that says nothing. */
export const LOG_DEFAULTS: LogSettings = { access: false, format: undefined, level: undefined, redact: [] };

/**
 * The framework's own logger. `text` writes lines for people. Throws a BootError for a level in the environment that is none.
 */
export function ownLogger(
  { level, format, redact }: LogSettings,
  mode: string,
  text: (isSecret: IsSecret) => WriteLine = textLines,
): Logger {
  const isProduction = mode === 'production';
  const isSecret = secretNames(redact);
  const write = (format ?? (isProduction ? 'json' : 'text')) === 'json' ? jsonLines : text;
  return new OwnLogger(levelOfEnvironment() ?? level ?? (isProduction ? 'info' : 'debug'), write(isSecret));
}

/** What is written of requests, and how. */
export function log(): Plugin {
  return definePlugin({
    name: 'log',
    options: logOptions,
    apply(hooks, settings) {
      hooks.serve.tapPromise('log', async ({ project, runtime, onClose }) => {
        warnOfUnheeded(project, settings);
        const isSecret = secretNames(settings.redact);
        // For others who show what was sent.
        project.slot('log.secrets', () => isSecret);
        project.slot('log.text', () => textLine);
        if (!settings.access) return;
        const options = settings.access === true ? {} : settings.access;
        const observe = accessLog(project, isSecret, options);
        observeRequests(project, observe);
        onClose(logClosedSockets());
        const server = servesHttp(runtime) ? await serverOf(runtime) : undefined;
        if (server) onClose(logParserErrors(server.node, project.logger));
      });
    },
  });
}
