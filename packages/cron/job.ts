import { Cron } from 'croner';
import type { RuntimeCtx } from 'fwkit';
import { DefinitionError } from 'fwkit/http';
import { type BaseRoute, brand, isObject, messageOf } from 'fwkit/plugin';

/** The second argument of a job's function: one run of the job. */
export interface JobRun {
  /** The scheduled time of the run. It is the same on all machines, even if the run starts late. */
  readonly at: Date;
  /** A fencing token, which grows with each run: a resource that the job writes to can refuse a token smaller than the last one it saw. */
  readonly token: number;
  /** Aborts when another process may run the job, for example because this process was blocked, and when this process has to exit. */
  readonly signal: AbortSignal;
}

/** The options of a job. */
export interface JobOptions {
  /** The IANA name of the pattern's time zone, such as `Europe/Berlin`. Default: `UTC`, regardless of the machine's time zone. */
  readonly timezone?: string;
}

/** The default export of a file in `cron/`: the result of `job()`. */
export interface Job {
  readonly pattern: string;
  readonly timezone: string;
  readonly run: (ctx: RuntimeCtx, run: JobRun) => unknown;
}

export const jobs = brand<Job>('fwkit.cron.job');

const HOW_TO_WRITE_ONE =
  "Write minute, hour, day of month, month and day of week, such as '0 3 * * *' for three o'clock each day";

/**
 * `export default job('0 3 * * *', async (ctx, { at, token, signal }) => …, { timezone: 'Europe/Berlin' })`: run a function on a
 * schedule. The fields of the pattern are minute, hour, day of month, month and day of week; with six fields, the first one is seconds.
 * Throws TypeError for an invalid pattern, function or time zone.
 */
export function job(pattern: string, run: Job['run'], options: JobOptions = {}): Job {
  if (typeof run !== 'function')
    throw new DefinitionError('The second argument of job() must be a function (ctx, run) => …', 'FWK402');
  const unknown = isObject(options) ? Object.keys(options).find((key) => key !== 'timezone') : options;
  if (unknown !== undefined)
    throw new DefinitionError(
      `The third argument of job() must be { timezone }, without ${JSON.stringify(unknown)}`,
      'FWK841',
    );
  const { timezone = 'UTC' } = options;
  const mistakes = [mistakeOfPattern(pattern), mistakeOfZone(timezone)].filter((one) => one !== undefined);
  if (mistakes.length > 0) throw new DefinitionError(mistakes.join('. '), 'FWK841');
  return Object.freeze(jobs.mark({ pattern, timezone, run }));
}

function mistakeOfPattern(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string')
    return `The pattern of job() must be a string, not ${typeof pattern}. ${HOW_TO_WRITE_ONE}`;
  const name = JSON.stringify(pattern);
  // croner accepts a date as a pattern for a single run.
  if (pattern.includes(':')) return `${name} is not a cron pattern. ${HOW_TO_WRITE_ONE}`;
  try {
    if (new Times(pattern, 'UTC').after(0) !== undefined) return undefined;
    return `The cron pattern ${name} never matches. ${HOW_TO_WRITE_ONE}`;
  } catch (thrown) {
    const why = messageOf(thrown).replace(/^\w+: /, '');
    return `${name} is not a cron pattern: ${why}. ${HOW_TO_WRITE_ONE}`;
  }
}

function mistakeOfZone(timezone: unknown): string | undefined {
  try {
    if (typeof timezone === 'string') new Intl.DateTimeFormat('en', { timeZone: timezone });
    else return `"timezone" must be a name such as "Europe/Berlin", not ${typeof timezone}`;
    return undefined;
  } catch {
    return `Unknown time zone ${JSON.stringify(timezone)}. Use an IANA name such as "Europe/Berlin"`;
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

/** The first interval in which `last` searches, in milliseconds. */
const FIRST_LOOK_MS = 1_000;

/** The times of a pattern, in milliseconds since 1970. */
export class Times {
  readonly #cron: Cron;

  /** Throws for an invalid pattern. */
  constructor(pattern: string, timezone: string) {
    // With an offset, croner does not look up the rules of a time zone.
    const where = timezone === 'UTC' ? { utcOffset: 0 } : { timezone };
    this.#cron = new Cron(pattern, { paused: true, ...where });
  }

  /** The first time after `time`; undefined if the pattern never matches again. */
  after(time: number): number | undefined {
    return this.#cron.nextRun(new Date(time))?.getTime();
  }

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
