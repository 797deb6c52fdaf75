import { FleetingSession, Guest } from 'fwkit/http';
import { type Held, logFields, logSafely, type Project } from 'fwkit/plugin';
import { CronRun } from './cron-run.js';
import type { CronRoute } from './route.js';

/** The occasion on which a job runs. */
export interface Occasion {
  /** The time that it is for, in milliseconds since 1970. */
  readonly at: number;
  /** The lock that it runs under. */
  readonly held: Held;
  /** Aborts when the process can wait for it no longer. */
  readonly cutOff: AbortSignal;
}

/** The origin of the scope of a run: session values are new ones that nothing stores, and lines of its logger name the job. */
class JobOrigin extends Guest {
  readonly [logFields]: Readonly<Record<string, unknown>>;

  constructor(name: string) {
    super(new FleetingSession(), `cron/${name}`);
    this[logFields] = { job: name };
  }
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
  CronRun.begin(told);
  const scope = project.scopes.open(new JobOrigin(route.name));
  try {
    await route.job.run(scope.ctx, run);
    return true;
  } catch (thrown) {
    CronRun.fail(told, thrown);
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
