import { option } from '../../contributions/index.js';
import { BootError, isObject, type LogLevel } from '../../kernel/index.js';
import { LOG_LEVELS } from '../../scope/index.js';
import type { AccessLine } from './access-line.js';

/** The least severe level that is written; `silent` writes nothing. */
type Threshold = LogLevel | 'silent';

const THRESHOLDS: readonly Threshold[] = [...LOG_LEVELS, 'silent'];

const isThreshold = (value: unknown): value is Threshold =>
  THRESHOLDS.some((threshold) => threshold === value);

/** The level of the environment's `LOG_LEVEL`, which whoever runs an app sets, in any case of letters; undefined where it is not set. */
export function levelOfEnvironment(): Threshold | undefined {
  const given = process.env.LOG_LEVEL;
  if (given === undefined || given === '') return undefined;
  const lower = given.toLowerCase();
  if (isThreshold(lower)) return lower;
  throw new BootError({
    message: `LOG_LEVEL is one of ${THRESHOLDS.join(', ')}, not "${given}". Set it to one of them.`,
    code: 'FWK204',
  });
}

/** Whether a line of `level` is written where `threshold` is the least. One that is unknown lets all lines pass. */
export const isWritten = (level: LogLevel, threshold: string): boolean =>
  NAMES.indexOf(threshold) <= NAMES.indexOf(level);

const NAMES: readonly string[] = THRESHOLDS;

export type LogFormat = 'json' | 'text';

/** What is written of requests. */
export interface AccessOptions {
  /** Called with each line before it is written: `true` leaves it out. */
  readonly skip?: (line: AccessLine) => boolean;
}

const isAccess = (value: unknown): value is boolean | AccessOptions =>
  typeof value === 'boolean' ||
  (isObject(value) &&
    Object.keys(value).every((key) => key === 'skip') &&
    (value.skip === undefined || typeof value.skip === 'function'));

export const logOptions = {
  /** Whether a line is written for each request that is answered, or which are. */
  access: option.custom<boolean | AccessOptions>(
    false,
    'true, false, or { skip } with a function that gets a line and gives true for one to leave out',
    isAccess,
  ),
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
