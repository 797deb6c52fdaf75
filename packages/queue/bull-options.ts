import type { JobsOptions, WorkerOptions } from 'bullmq';
import { storedId } from './job-id.js';
import type { NewJob } from './producers.js';

/** How jobs of a queue are done. */
export interface ConsumeOptions {
  readonly concurrency: number;
  /** Milliseconds. */
  readonly lease: number;
  readonly crashes: number;
}

/** How many jobs that are done are remembered, and for how many seconds: so long an id is not added again. */
const KEPT_DONE = { age: 3_600, count: 1_000 };
/** Seconds for which jobs are remembered that have failed. */
const KEPT_FAILED = { age: 14 * 86_400 };
/** Stacks that are kept of one job. */
const MAX_STACKS = 10;
/** Milliseconds after which BullMQ says again that a job is done, where the broker did not hear it. */
const RETRY_MS = 1_000;
/** Seconds for which a consumer asks for a job at a time, where there is none. */
const POLL_SECONDS = 2;

/** What BullMQ is told of a job. */
export const bullOptions = ({ id, delay, priority, attempts, backoff }: NewJob): JobsOptions => ({
  ...(id === undefined ? {} : { jobId: storedId(id) }),
  ...(priority === undefined ? {} : { priority }),
  delay,
  attempts,
  backoff,
  removeOnComplete: KEPT_DONE,
  removeOnFail: KEPT_FAILED,
  stackTraceLimit: MAX_STACKS,
});

/** What BullMQ is told of a consumer. */
export const workerOptions = ({
  concurrency,
  lease,
  crashes,
}: ConsumeOptions): Omit<WorkerOptions, 'connection'> => ({
  concurrency,
  lockDuration: lease,
  stalledInterval: lease / 2,
  maxStalledCount: crashes,
  drainDelay: POLL_SECONDS,
  runRetryDelay: RETRY_MS,
});
