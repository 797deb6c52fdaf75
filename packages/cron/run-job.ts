import { channel } from 'node:diagnostics_channel';
import type { RuntimeCtx } from 'fwkit';
import { type BaseRoute, coded, guest, type Held, logSafely, type Project, scopesOf } from 'fwkit/plugin';
import { type CronRoute, isCronRoute, type JobRun } from './job.js';

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
    throw coded('FWK842', `There is no job "${name}". Those of this app are: ${names}`);
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

  /** Internal. */
  static end(run: CronRun): void {
    run.#endedAt = performance.now();
    END.publish(run);
  }
}

interface Occasion {
  /** The time that it is for, in milliseconds since 1970. */
  readonly at: number;
  /** The lock that it runs under. */
  readonly held: Held;
  /** Aborts when the process can wait for it no longer. */
  readonly cutOff: AbortSignal;
}

/**
 * Run a job in a scope of its own. Resolves when that has ended, with whether the run is done: one that throws is, but for one that was
 * told to stop by its signal, since another process runs it then. Never rejects.
 */
export async function execute(route: CronRoute, project: Project, occasion: Occasion): Promise<boolean> {
  const { at, held, cutOff } = occasion;
  const { signal, release } = either(held.signal, cutOff);
  const run = { at: new Date(at), token: held.token, signal };
  const told = new CronRun(route, run);
  START.publish(told);
  const scope = scopesOf(project).open(guest(`cron/${route.name}`, { job: route.name }));
  try {
    await route.job.run(scope.ctx, run);
    return true;
  } catch (thrown) {
    told.error = thrown;
    ERROR.publish(told);
    const isDone = !signal.aborted;
    const what = isDone ? 'failed' : 'failed after its signal had aborted, and is left to another process';
    logSafely(project.logger, 'error', `${project.display(route.file)} ${what}`, thrown);
    return isDone;
  } finally {
    release();
    await scope.close();
    CronRun.end(told);
  }
}

/** A signal that aborts with the first of two. `AbortSignal.any` would keep those that live long from letting it go (Node 20). */
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
