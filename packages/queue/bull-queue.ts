import type { IQueueBackend, Job, JobsOptions, Queue } from 'bullmq';
import type { NewJob, Outcome } from './producers.js';
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
const storedIds = (id: string): string[] => (/^-?\d+$/.test(id) ? [storedId(id), id] : [storedId(id)]);

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
  readonly queue: string;
  readonly jobs: Readonly<Record<StoredJob['state'], number>>;
  readonly oldest: number;
}

/** The number of jobs by state, and how long the next one has waited, in milliseconds. */
export async function countsOf(queue: string, bull: AnyQueue): Promise<QueueCounts> {
  const { prioritized = 0, paused = 0, ...jobs } = await bull.getJobCounts();
  const next = await bull.getJobs(['waiting', 'prioritized'], 0, 0, true);
  const since = next.flatMap((job) => (job ? [job.timestamp + (job.opts.delay ?? 0)] : []));
  const { waiting = 0, active = 0, delayed = 0, completed = 0, failed = 0 } = jobs;
  return {
    queue,
    jobs: { waiting: waiting + prioritized + paused, active, delayed, completed, failed },
    oldest: Math.max(0, Date.now() - Math.min(Date.now(), ...since)),
  };
}

/** The state of a job, from BullMQ's. Undefined for a job that does not exist. */
const stateOf = (state: string): StoredJob['state'] | undefined =>
  state === 'unknown'
    ? undefined
    : /^(?:active|delayed|completed|failed)$/.test(state)
      ? (state as StoredJob['state'])
      : 'waiting';

const resultOf = (text: string): unknown =>
  text === '' || text === 'undefined' ? undefined : JSON.parse(text);

export async function getJob(bull: AnyQueue, id: string): Promise<StoredJob | undefined> {
  const job = await find(bull, id);
  return job && describe(job);
}

/** Undefined for a job that was removed in the meantime. */
export async function describe(job: TakenJob): Promise<StoredJob | undefined> {
  const state = stateOf(await job.getState());
  if (state === undefined) return undefined;
  const { id = '', data, attemptsMade, timestamp, progress, returnvalue, failedReason } = job;
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

/** How a job has finished; undefined if it has not. */
export async function outcomeOf({ backend }: AnyQueue, id: string): Promise<Outcome | undefined> {
  for (const stored of storedIds(id)) {
    const answer = await backend.isFinished(stored, true);
    const [status, text] = Array.isArray(answer) ? answer : [answer, ''];
    if (status === 0) return undefined;
    if (status === 1) return { state: 'completed', result: resultOf(text) };
    if (status === 2) return { state: 'failed', failedReason: text };
  }
  return { state: 'unknown' };
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
