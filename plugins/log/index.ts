import {
  definePlugin,
  type Logger,
  type OptionValues,
  type Plugin,
  type Project,
  slotKey,
} from '../../kernel/index.js';
import { LOG_SECRETS, LOG_TEXT, logSafely, projectLogger } from '../../scope/index.js';
import { observeRequests, serverOf, servesHttp } from '../http/index.js';
import { accessLog, logClosedSockets, logParserErrors } from './access-log.js';
import { jsonLines, textLine, textLines } from './lines.js';
import { levelOfEnvironment, logOptions } from './options.js';
import { OwnLogger, type WriteLine } from './own-logger.js';
import { type IsSecret, secretNames } from './redaction.js';

export type { AccessLine } from './access-line.js';
export { escapeControls, textLine } from './lines.js';
export { type AccessOptions, levelOfEnvironment, logOptions } from './options.js';
export { OwnLogger, type WriteLine } from './own-logger.js';
export type { IsSecret } from './redaction.js';

const IGNORED_OPTIONS = slotKey<{ text: string }>('log.unheeded');

export type LogSettings = OptionValues<typeof logOptions>;

export const LOG_DEFAULTS: LogSettings = { access: false, format: undefined, level: undefined, redact: [] };

/** fwk's own logger. `text` writes lines for people. Throws a BootError for an invalid LOG_LEVEL. */
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

/** The log of requests and its format. */
export function log(): Plugin {
  return definePlugin({
    name: 'log',
    options: logOptions,
    apply(hooks, settings) {
      hooks.serve.tapPromise('log', async ({ project, runtime, onClose }) => {
        warnOfIgnoredOptions(project, settings);
        const isSecret = secretNames(settings.redact);
        // For other plugins that display requests.
        project.slot(LOG_SECRETS, () => isSecret);
        project.slot(LOG_TEXT, () => textLine);
        if (!settings.access) return;
        const options = settings.access === true ? {} : settings.access;
        const observe = accessLog(project, isSecret, options);
        observeRequests(project, observe);
        // Not with this `onClose`: sockets end meanwhile.
        project.onClose(logClosedSockets());
        const server = servesHttp(runtime) ? await serverOf(runtime) : undefined;
        if (server) onClose(logParserErrors(server.node, project.logger));
      });
    },
  });
}

/** Warn once, not on each reload, about options that only fwk's own logger supports. */
function warnOfIgnoredOptions(
  project: Project,
  { level, format, redact }: OptionValues<typeof logOptions>,
): void {
  const warned = project.inherit(IGNORED_OPTIONS, () => ({ text: '' }));
  const { current, first } = projectLogger(project);
  const given = { 'log.level': level, 'log.format': format, 'log.redact': redact.length > 0 || undefined };
  const set = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const writer = current === first ? 'the logger that was given' : 'services/logger';
  const text =
    set.length === 0 || current instanceof OwnLogger
      ? ''
      : `${set.join(' and ')} in the config only ${set.length > 1 ? 'apply' : 'applies'} to fwk's own logger, but ${writer} replaces it. Configure that logger instead.`;
  if (text !== '' && text !== warned.text) logSafely(project.logger, 'warn', { code: 'FWK214', text });
  warned.text = text;
}
