import { option } from '../../kernel/index.js';
import { isThreshold, THRESHOLDS, type Threshold } from './levels.js';

export type LogFormat = 'json' | 'text';

export const logOptions = {
  /** Whether a line is written for each request that is answered. */
  access: option.boolean(false),
  /** How lines are written. Default: `json` in production, else `text`. */
  format: option.custom<LogFormat | undefined>(
    undefined,
    '"json" or "text"',
    (value): value is LogFormat | undefined => value === undefined || value === 'json' || value === 'text',
  ),
  /** The least severe level that is written; the environment's `LOG_LEVEL` wins. Default: `info` in production, else `debug`. */
  level: option.custom<Threshold | undefined>(
    undefined,
    `one of ${THRESHOLDS.map((name) => `"${name}"`).join(', ')}`,
    (value): value is Threshold | undefined => value === undefined || isThreshold(value),
  ),
  /** Names of fields, beside the usual ones, whose values are not written. */
  redact: option.custom<readonly string[]>(
    [],
    'a list of names of fields, such as "iban"',
    (value): value is readonly string[] =>
      Array.isArray(value) && value.every((name) => typeof name === 'string' && bare(name) !== ''),
  ),
};

/** The form in which names are compared: `Set-Cookie`, `set_cookie` and `setCookie` are one. */
export const bare = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
