import { Cron } from 'croner';
import type { RuntimeCtx } from 'fwkit';
import { DefinitionError } from 'fwkit/http';
import { type BaseRoute, brand, isObject, messageOf } from 'fwkit/plugin';

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

/** A file under `cron/`. */
export interface CronRoute extends BaseRoute {
  readonly protocol: 'cron';
  /** `reports/daily` for `cron/reports/daily.ts`. */
  readonly name: string;
  readonly job: Job;
}

export const isCronRoute = (route: BaseRoute): route is CronRoute => route.protocol === 'cron';

export function cronRoute(kind: string, file: string, job: Job): CronRoute {
  const name = file.replace(/^cron\/|\.m?[jt]s$/g, '');
  const zone = job.timezone === 'UTC' ? '' : ` ${job.timezone}`;
  const label = `CRON ${name} ${job.pattern}${zone}`;
  return { kind, file, protocol: 'cron', label, id: `CRON ${name}`, name, job };
}

/** How far back the last time is looked for first, in milliseconds. */
const FIRST_LOOK_MS = 1_000;

/** The times of a pattern, in milliseconds since 1970. */
export class Times {
  readonly #cron: Cron;

  /** Throws for what is no pattern. */
  constructor(pattern: string, timezone: string) {
    // By its offset: then the rules of no zone are asked for.
    const where = timezone === 'UTC' ? { utcOffset: 0 } : { timezone };
    this.#cron = new Cron(pattern, { paused: true, ...where });
  }

  /** The first one after `time`; undefined where none comes. */
  after(time: number): number | undefined {
    return this.#cron.nextRun(new Date(time))?.getTime();
  }

  /** The last one that is later than `after`, and not later than `until`. */
  last(after: number, until: number): number | undefined {
    for (let back = FIRST_LOOK_MS; ; back *= 2) {
      const from = Math.max(after, until - back);
      let last: number | undefined;
      for (let next = this.after(from); next !== undefined && next <= until; next = this.after(next))
        last = next;
      if (last !== undefined || from === after) return last;
    }
  }
}
