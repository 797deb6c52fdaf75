import type { RuntimeCtx } from 'fwkit';
import type { BaseRoute, Plugin } from 'fwkit/plugin';

/** What `cron` in `fwk.config` may be. */
export interface CronOptions {
  /** Whether each job also runs once when the app has started. Default: false. */
  readonly atStart?: boolean;
}

/** What a file under `cron/` exports. */
export interface Job {
  /** Milliseconds from one begin to the next. */
  readonly ms: number;
  readonly run: (ctx: RuntimeCtx) => unknown;
}

export interface JobRoute extends BaseRoute {
  readonly protocol: 'cron';
  readonly job: Job;
}

/**
 * `export default every('10s', async (ctx) => …)`: run a job again and again. The interval is a number of milliseconds
 * or a text with a unit: ms, s, m or h. A run that lasts longer makes the next one wait for its turn.
 */
export function every(interval: number | string, run: Job['run']): Job;

/** The plugin: `export default defineConfig({ plugins: [cron()] })`. */
export function cron(): Plugin;
