import type { RuntimeCtx } from 'fwkit';
import type { BaseRoute, Plugin } from 'fwkit/plugin';

/** The options of `cron` in `fwk.config`. */
export interface CronOptions {
  /** Whether each job also runs once when the app has started. Default: false. */
  readonly atStart?: boolean;
}

/** The default export of a file in `cron/`. */
export interface Job {
  /** Milliseconds between the starts of two runs. */
  readonly ms: number;
  readonly run: (ctx: RuntimeCtx) => unknown;
}

export interface JobRoute extends BaseRoute {
  readonly protocol: 'cron';
  readonly job: Job;
}

/**
 * `export default every('10s', async (ctx) => …)`: runs a job at an interval, in milliseconds or with a unit: ms, s, m or
 * h. If a run takes longer than the interval, the job runs again at the next interval after its end.
 */
export function every(interval: number | string, run: Job['run']): Job;

/** The plugin: `export default defineConfig({ plugins: [cron()] })`. */
export function cron(): Plugin;
