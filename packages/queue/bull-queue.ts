import type { IQueueBackend, Job, JobsOptions, Queue } from 'bullmq';
import { BootError } from 'fwkit/plugin';
import type { NewJob } from './producers.js';
import type { Progress, StoredJob } from './queue.js';

/** How long completed jobs are kept, in seconds, and how many. Meanwhile, a job with the same id is not added again. */
const KEPT_DONE = { age: 3_600, count: 1_000 };
/** How long failed jobs are kept, in seconds. */
const KEPT_FAILED = { age: 14 * 86_400 };
/** The maximum number of stack traces per job. */
const MAX_STACKS = 10;
const bullOptions = ({ id, delay, priority, attempts, backoff, origin }: NewJob): JobsOptions => ({
  ...(id === undefined ? {} : { jobId: storedId(id) }),
  ...(priority === undefined ? {} : { priority }),
  delay,
  attempts,
  backoff,
  removeOnComplete: KEPT_DONE,
  removeOnFail: KEPT_FAILED,
  stackTraceLimit: MAX_STACKS,
  telemetry: { metadata: JSON.stringify(origin) },
});

export type AnyQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend>;
export type TakenJob = Job<unknown, unknown>;
/** Ids that BullMQ rejects (with a colon) or generates itself (integers). They are escaped, with the prefix `#`. */
const NEEDS_ESCAPE = /^-?\d+$|^#|:/;

/** The id in BullMQ for an `id` that was passed to `add`. */
const storedId = (id: string): string =>
  NEEDS_ESCAPE.test(id) ? `#${id.replaceAll('%', '%25').replaceAll(':', '%3A')}` : id;

/** The ids in BullMQ that a job with this shown id may have. */
export const storedIds = (id: string): string[] => (/^-?\d+$/.test(id) ? [storedId(id), id] : [storedId(id)]);

export async function find(bull: AnyQueue, id: string): Promise<TakenJob | undefined> {
  for (const stored of storedIds(id)) {
    const job = await bull.getJob(stored);
    if (job) return job;
  }
  return undefined;
}

/** The id of a job as it was passed to `add`, or as BullMQ generated it. */
export const shownId = (stored: string): string =>
  stored.startsWith('#') ? stored.slice(1).replaceAll('%3A', ':').replaceAll('%25', '%') : stored;

/** Add jobs to a queue, all or none. */
export async function addTo(bull: AnyQueue, jobs: readonly NewJob[]): Promise<readonly { id?: string }[]> {
  for (const { id, again } of jobs)
    if (again && id !== undefined) {
      const stored = storedId(id);
      if (/completed|failed/.test(await bull.backend.getState(stored))) await bull.remove(stored);
    }
  const entries = jobs.map((job) => ({ name: job.queue, data: job.data, opts: bullOptions(job) }));
  const [first] = entries;
  // A single job needs no transaction of Redis.
  return first && entries.length === 1
    ? [await bull.add(first.name, first.data, first.opts)]
    : bull.addBulk(entries);
}

export interface QueueCounts {
  readonly jobs: Readonly<Record<StoredJob['state'], number>>;
  readonly oldest: number;
}

/** The number of jobs by state, and how long the next one has waited, in milliseconds. */
export async function countsOf(bull: AnyQueue): Promise<QueueCounts> {
  const { prioritized = 0, paused = 0, ...jobs } = await bull.getJobCounts();
  const next = await bull.getJobs(['waiting', 'prioritized'], 0, 0, true);
  const since = next.flatMap((job) => (job ? [job.timestamp + (job.opts.delay ?? 0)] : []));
  const { waiting = 0, active = 0, delayed = 0, completed = 0, failed = 0 } = jobs;
  return {
    jobs: { waiting: waiting + prioritized + paused, active, delayed, completed, failed },
    oldest: Math.max(0, Date.now() - Math.min(Date.now(), ...since)),
  };
}

/** The state of the first of these jobs that exists. */
export async function stateOf(
  { backend }: AnyQueue,
  ids: readonly string[],
): Promise<StoredJob['state'] | undefined> {
  for (const stored of ids) {
    const state = await backend.getState(stored);
    if (/^(?:active|delayed|completed|failed)$/.test(state)) return state as StoredJob['state'];
    // BullMQ keeps jobs with a priority, and jobs of a paused queue, in lists of their own.
    if (state !== 'unknown') return 'waiting';
  }
  return undefined;
}

export async function getJob(bull: AnyQueue, id: string): Promise<StoredJob | undefined> {
  const job = await find(bull, id);
  return job && describe(bull, job);
}

/** Undefined for a job that was removed in the meantime. */
export async function describe(bull: AnyQueue, job: TakenJob): Promise<StoredJob | undefined> {
  const { id = '', data, attemptsMade, timestamp, progress, returnvalue, failedReason } = job;
  const state = await stateOf(bull, [id]);
  if (state === undefined) return undefined;
  return {
    id: shownId(id),
    state,
    data,
    attemptsMade,
    addedAt: new Date(timestamp),
    progress: typeof progress === 'object' ? (progress as Progress) : undefined,
    result: state === 'completed' ? returnvalue : undefined,
    failedReason,
  };
}

/** The queue of BullMQ that has no jobs. Its metadata are the names of all queues that the app has had. */
export const NAMES = '.names';
/** The prefix of the names, which separates them from BullMQ's own metadata. */
const NAME = 'queue:';

/** Remember the names of queues. Resolves with the names of all queues that the app has had. */
export async function rememberNames({ backend }: AnyQueue, names: readonly string[]): Promise<string[]> {
  await backend.setQueueMeta(Object.fromEntries(names.map((name) => [`${NAME}${name}`, 1])));
  const known = Object.keys(await backend.getQueueMeta());
  return known.filter((key) => key.startsWith(NAME)).map((key) => key.slice(NAME.length));
}

export const STATES = ['waiting', 'active', 'delayed', 'failed', 'completed'] as const;
/** The states of jobs that `remove` removes if none is given. */
const UNFINISHED_OR_FAILED = ['waiting', 'delayed', 'failed'];
const LISTED = 50;

interface Asked {
  readonly id?: string | undefined;
  readonly state?: string | undefined;
}

type Action = (bull: AnyQueue, asked: Asked) => Promise<unknown>;

export const refused = (message: string): BootError => new BootError({ message, code: 'FWK833' });

async function jobOf(bull: AnyQueue, id = '') {
  const job = await find(bull, id);
  if (job) return job;
  throw refused(`The queue "${bull.name}" has no job "${id}".`);
}

/** BullMQ keeps jobs with a priority in a list of their own. */
const listsOf = (states: readonly string[]) =>
  states.flatMap((state) => (state === 'waiting' ? ['waiting', 'prioritized'] : [state])) as 'waiting'[];

/** The changes that `fwk jobs` and the dev page make. */
export const CHANGES: Readonly<Record<string, Action>> = {
  async retry(bull, { id }) {
    if (id === undefined) await bull.retryJobs({ state: 'failed' });
    else await (await jobOf(bull, id)).retry('failed');
  },
  async remove(bull, { id, state }) {
    if (id !== undefined) return (await jobOf(bull, id)).remove();
    for (const list of listsOf(state ? [state] : UNFINISHED_OR_FAILED)) await bull.clean(0, 0, list);
  },
  pause: (bull) => bull.pause(),
  resume: (bull) => bull.resume(),
};

export async function listJobs(bull: AnyQueue, { state }: Asked) {
  const jobs = await bull.getJobs(listsOf(state ? [state] : STATES), 0, LISTED - 1, true);
  const described = await Promise.all(jobs.slice(0, LISTED).map((job) => job && describe(bull, job)));
  return described.filter((job) => job !== undefined);
}

export async function showJob(bull: AnyQueue, { id }: Asked) {
  const job = await jobOf(bull, id);
  return { ...(await describe(bull, job)), stacktrace: job.stacktrace };
}

export async function countJobs(bull: AnyQueue) {
  const { jobs, oldest } = await countsOf(bull);
  return { ...jobs, oldest, isPaused: await bull.isPaused() };
}
