import { DefinitionError } from 'fwkit/http';
import { brand, isObject, messageOf, type RuntimeCtx } from 'fwkit/plugin';
import { Times } from './times.js';

/** One run of a job, as the job sees it. */
export interface JobRun {
  /** The time that it is for, by its pattern: the same on all machines, however late it begins. */
  readonly at: Date;
  /** Grows from one run to the next: what the job writes to can refuse a number that is smaller than the last it has seen. */
  readonly token: number;
  /** Aborts when another process may run the job, since this one stood still, say, and when this one has to end. */
  readonly signal: AbortSignal;
}

/** How the pattern of a job is read. */
export interface JobOptions {
  /** The time zone that the pattern is read in, by its IANA name: `Europe/Berlin`. Default: `UTC`, wherever a machine is. */
  readonly timezone?: string;
}

/** What a file under `cron/` exports. */
export interface Job {
  readonly pattern: string;
  readonly timezone: string;
  readonly run: (ctx: RuntimeCtx, run: JobRun) => unknown;
}

/** What `job()` has made. */
export const jobs = brand<Job>('fwkit.cron.job');

const HOW_TO_WRITE_ONE =
  "Write minute, hour, day of month, month and day of week, such as '0 3 * * *' for three o'clock each day";

/**
 * `export default job('0 3 * * *', async (ctx, { at, token, signal }) => …, { timezone: 'Europe/Berlin' })`: have a function run at the
 * times of a pattern: minute, hour, day of month, month, day of week; with six fields, seconds come first. Throws TypeError for what is
 * no pattern, no function or no time zone.
 */
export function job(pattern: string, run: Job['run'], options: JobOptions = {}): Job {
  if (typeof run !== 'function')
    throw new DefinitionError('job() takes a function (ctx, run) after the pattern', 'FWK402');
  const unknown = isObject(options) ? Object.keys(options).find((key) => key !== 'timezone') : options;
  if (unknown !== undefined)
    throw new DefinitionError(
      `job() takes { timezone } after the function, not ${JSON.stringify(unknown)}`,
      'FWK841',
    );
  const { timezone = 'UTC' } = options;
  const mistakes = [mistakeOfPattern(pattern), mistakeOfZone(timezone)].filter((one) => one !== undefined);
  if (mistakes.length > 0) throw new DefinitionError(mistakes.join('. '), 'FWK841');
  return Object.freeze(jobs.mark({ pattern, timezone, run }));
}

function mistakeOfPattern(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return `job() takes a pattern, not ${typeof pattern}. ${HOW_TO_WRITE_ONE}`;
  const name = JSON.stringify(pattern);
  // A date, which would be one run.
  if (pattern.includes(':')) return `${name} is not a pattern. ${HOW_TO_WRITE_ONE}`;
  try {
    if (new Times(pattern, 'UTC').after(0) !== undefined) return undefined;
    return `${name} is a time that never comes. ${HOW_TO_WRITE_ONE}`;
  } catch (thrown) {
    const why = messageOf(thrown).replace(/^\w+: /, '');
    return `${name} is not a pattern: ${why}. ${HOW_TO_WRITE_ONE}`;
  }
}

function mistakeOfZone(timezone: unknown): string | undefined {
  try {
    if (typeof timezone === 'string') new Intl.DateTimeFormat('en', { timeZone: timezone });
    else return `"timezone" is a name such as "Europe/Berlin", not ${typeof timezone}`;
    return undefined;
  } catch {
    return `There is no time zone ${JSON.stringify(timezone)}. Write a name such as "Europe/Berlin"`;
  }
}
