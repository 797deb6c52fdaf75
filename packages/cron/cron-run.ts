import { channel } from 'node:diagnostics_channel';
import type { JobRun } from './job.js';
import type { CronRoute } from './route.js';

/** Channels of `node:diagnostics_channel`; the message of each is the same `CronRun`. */
const START = channel('fwk.job.start');
const END = channel('fwk.job.end');
const ERROR = channel('fwk.job.error');

/** A run of a job: the message of `fwk.job.start`, `fwk.job.end` and `fwk.job.error`. */
export class CronRun {
  /** The job: `report` for `cron/report.ts`. */
  readonly cron: string;
  /** The time that it is for. */
  readonly at: Date;
  readonly token: number;
  /** What was thrown; undefined where nothing was. */
  error: unknown;
  readonly #beganAt = performance.now();
  #endedAt: number | undefined;

  constructor({ name }: CronRoute, { at, token }: JobRun) {
    this.cron = name;
    this.at = at;
    this.token = token;
  }

  /** Milliseconds since it began; when it has ended, until then. */
  get duration(): number {
    return (this.#endedAt ?? performance.now()) - this.#beganAt;
  }

  /** Internal: it has begun. */
  static begin(run: CronRun): void {
    if (START.hasSubscribers) START.publish(run);
  }

  /** Internal: something was thrown. */
  static fail(run: CronRun, thrown: unknown): void {
    run.error = thrown;
    if (ERROR.hasSubscribers) ERROR.publish(run);
  }

  /** Internal: it has ended. */
  static end(run: CronRun): void {
    run.#endedAt = performance.now();
    if (END.hasSubscribers) END.publish(run);
  }
}
