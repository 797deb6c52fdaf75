import { type BaseRoute, coded, type RuntimeCtx } from 'fwkit/plugin';
import type { JobRun } from './job.js';
import { isCronRoute } from './route.js';

/** What is used of an app: that of `createApp()`, or of `createTestApp()`. */
export interface JobApp {
  readonly routes: readonly BaseRoute[];
  readonly run: <T>(work: (ctx: RuntimeCtx) => T) => Promise<Awaited<T>>;
}

/**
 * Run the job of `cron/<name>` now, in a scope of its own, whatever its times are and whether another process runs it. Resolves with
 * what it returns; rejects with what it throws. For tests and scripts.
 */
export async function runJob(app: JobApp, name: string, run: Partial<JobRun> = {}): Promise<unknown> {
  const routes = app.routes.filter(isCronRoute);
  const route = routes.find((one) => one.name === name);
  if (!route) {
    const names = routes.map((one) => one.name).join(', ') || 'none';
    throw coded('FWK842', new TypeError(`There is no job "${name}". Those of this app are: ${names}`));
  }
  const { at = new Date(), token = 1, signal = new AbortController().signal } = run;
  return app.run((ctx) => route.job.run(ctx, { at, token, signal }));
}
