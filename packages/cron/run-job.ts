import { channel } from 'node:diagnostics_channel';
import type { RuntimeCtx } from 'fwkit';
import {
  type BaseRoute,
  coded,
  guest,
  type LockHandle,
  logSafely,
  type Project,
  scopesOf,
} from 'fwkit/plugin';
import { type CronRoute, isCronRoute, type JobRun } from './job.js';

/** The members of an app that `runJob` uses. Apps of `createApp()` and `createTestApp()` have them. */
export interface JobApp {
  readonly routes: readonly BaseRoute[];
  readonly run: <T>(work: (ctx: RuntimeCtx) => T) => Promise<Awaited<T>>;
}

/** Run the job in `cron/<name>` now, in a scope of its own, regardless of its schedule and of other processes. Resolves with its result. */
export async function runJob(app: JobApp, name: string, run: Partial<JobRun> = {}): Promise<unknown> {
  const routes = app.routes.filter(isCronRoute);
  const route = routes.find((one) => one.name === name);
  if (!route) {
    const names = routes.map((one) => one.name).join(', ') || 'none';
    throw coded('FWK842', `There is no job "${name}". The jobs of this app are: ${names}`);
  }
  const { at = new Date(), token = 1, signal = new AbortController().signal } = run;
  return app.run((ctx) => route.job.run(ctx, { at, token, signal }));
}

/** Channels of `node:diagnostics_channel`; the message of each is the same `CronRun`. */
const START = channel('fwk.job.start');
const END = channel('fwk.job.end');
const ERROR = channel('fwk.job.error');

/** A run of a job: the message of `fwk.job.start`, `fwk.job.end` and `fwk.job.error`. */
export class CronRun {
  /** The name of the job: `report` for `cron/report.ts`. */
  readonly cron: string;
  /** The scheduled time. */
  readonly at: Date;
  readonly token: number;
  /** The error that was thrown; undefined if the job did not throw. */
  error: unknown;
  readonly #beganAt = performance.now();
  #endedAt: number | undefined;

  constructor({ name }: CronRoute, { at, token }: JobRun) {
    this.cron = name;
    this.at = at;
    this.token = token;
  }

  /** Milliseconds from the start until the end, or until now while the job runs. */
  get duration(): number {
    return (this.#endedAt ?? performance.now()) - this.#beganAt;
  }

  static end(run: CronRun): void {
    run.#endedAt = performance.now();
    END.publish(run);
  }
}

interface Occasion {
  /** The scheduled time, in milliseconds since 1970. */
  readonly at: number;
  readonly lock: LockHandle;
  readonly cutOff: AbortSignal;
}

/** Run a job in its own scope. Resolves with whether the run is done, also if it throws before its signal aborts. Never rejects. */
export async function execute(route: CronRoute, project: Project, occasion: Occasion): Promise<boolean> {
  const { at, lock, cutOff } = occasion;
  const { signal, release } = either(lock.signal, cutOff);
  const run = { at: new Date(at), token: lock.token, signal };
  const cronRun = new CronRun(route, run);
  START.publish(cronRun);
  const scope = scopesOf(project).open(guest(`cron/${route.name}`, { job: route.name }));
  try {
    await route.job.run(scope.ctx, run);
    return true;
  } catch (thrown) {
    cronRun.error = thrown;
    ERROR.publish(cronRun);
    const isDone = !signal.aborted;
    const outcome = isDone ? 'failed' : 'failed after its signal had aborted. Another process repeats it';
    logSafely(project.logger, 'error', `${project.display(route.file)} ${outcome}`, thrown);
    return isDone;
  } finally {
    release();
    await scope.close();
    CronRun.end(cronRun);
  }
}

/** A signal that aborts with the first of two. In Node 20, `AbortSignal.any` would leak memory while a source signal lives. */
function either(one: AbortSignal, other: AbortSignal): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const follow = (): void => controller.abort(one.aborted ? one.reason : other.reason);
  for (const signal of [one, other]) signal.addEventListener('abort', follow);
  if (one.aborted || other.aborted) follow();
  const release = (): void => {
    for (const signal of [one, other]) signal.removeEventListener('abort', follow);
  };
  return { signal: controller.signal, release };
}
