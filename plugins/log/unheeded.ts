import { logSafely, type OptionValues, type Project } from '../../kernel/index.js';

import type { logOptions } from './options.js';
import { OwnLogger } from './own-logger.js';

/** Warn of options that the framework's own logger alone heeds, where another one writes. A reload says what has been said no more. */
export function warnOfUnheeded(
  project: Project,
  { level, format, redact }: OptionValues<typeof logOptions>,
): void {
  const told = project.inherit('log.unheeded', () => ({ text: '' }));
  const { current, first } = project.logger;
  const given = { 'log.level': level, 'log.format': format, 'log.redact': redact.length > 0 || undefined };
  const set = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const writer = current === first ? 'the logger that was given' : 'services/logger';
  const text =
    set.length === 0 || current instanceof OwnLogger
      ? ''
      : `${set.join(' and ')} of the config ${set.length > 1 ? 'are' : 'is'} for the framework's own logger, but ${writer} writes in its place. Set that there.`;
  if (text !== '' && text !== told.text) logSafely(project.logger, 'warn', { code: 'FWK214', text });
  told.text = text;
}
