import { listOf, oneOf, option } from '../../contributions/index.js';
import { BootError, isObject, type LogLevel } from '../../kernel/index.js';
import { LOG_LEVELS } from '../../scope/index.js';
import type { AccessLine } from './access-line.js';

/** The minimum severity that is written; `silent` writes nothing. */
type Threshold = LogLevel | 'silent';

const THRESHOLDS: readonly Threshold[] = [...LOG_LEVELS, 'silent'];

const isThreshold = (value: unknown): value is Threshold =>
  THRESHOLDS.some((threshold) => threshold === value);

/** The level in the environment variable `LOG_LEVEL`, in any case; undefined if it is not set. */
export function levelOfEnvironment(): Threshold | undefined {
  const given = process.env.LOG_LEVEL;
  if (given === undefined || given === '') return undefined;
  const lower = given.toLowerCase();
  if (isThreshold(lower)) return lower;
  throw new BootError({
    message: `LOG_LEVEL is "${given}", which is not a level. Set it to ${THRESHOLDS.join(', ')}.`,
    code: 'FWK204',
  });
}

/** Whether lines of `level` pass the minimum `threshold`. An unknown threshold lets all lines pass. */
export const isWritten = (level: LogLevel, threshold: string): boolean =>
  NAMES.indexOf(threshold) <= NAMES.indexOf(level);

const NAMES: readonly string[] = THRESHOLDS;

/** Options of the access log. */
export interface AccessOptions {
  /** Called with each line before it is written: `true` skips it. */
  readonly skip?: (line: AccessLine) => boolean;
}

const isAccess = (value: unknown): value is boolean | AccessOptions =>
  typeof value === 'boolean' ||
  (isObject(value) &&
    Object.keys(value).every((key) => key === 'skip') &&
    (value.skip === undefined || typeof value.skip === 'function'));

export const logOptions = {
  /** Whether a line is written for each answered request, or options that select the lines. */
  access: option.custom<boolean | AccessOptions>(
    false,
    'true, false, or { skip } with a function that returns true for each line to skip',
    isAccess,
  ),
  /** The format of lines. Default: `json` in production, else `text`. */
  format: oneOf(['json', 'text', undefined], undefined),
  /** The minimum severity; `LOG_LEVEL` in the environment wins. Default: `info` in production, or `debug`. */
  level: option.custom<Threshold | undefined>(
    undefined,
    `one of ${THRESHOLDS.map((name) => `"${name}"`).join(', ')}`,
    (value): value is Threshold | undefined => value === undefined || isThreshold(value),
  ),
  /** Names of additional fields whose values are redacted. */
  redact: listOf(
    'a list of names of fields, such as "iban"',
    (name) => typeof name === 'string' && comparableName(name) !== '',
  ),
};

/** The form in which names are compared: `Set-Cookie`, `set_cookie` and `setCookie` are equal. */
export const comparableName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
