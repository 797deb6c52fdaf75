import { BootError, LOG_LEVELS, type LogLevel } from '../../kernel/index.js';

/** A level from which on lines are written, or `silent`: none are. */
export type Threshold = LogLevel | 'silent';

export const THRESHOLDS: readonly Threshold[] = [...LOG_LEVELS, 'silent'];

export const isThreshold = (value: unknown): value is Threshold =>
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
