import { type Logger, logSafely, messageOf } from 'fwkit/plugin';
import type { Broker, QueueWorker } from './broker.js';
import { shownId } from './job-id.js';

export interface WorkerWatch {
  /** Of the queue. */
  readonly name: string;
  /** Of its consumer, as people see it. */
  readonly file: string;
  /** Milliseconds. */
  readonly lease: number;
  readonly broker: Broker;
  readonly logger: Logger;
}

/** The most that is kept of a message or a stack, in characters: a client's text may be in it. */
const MAX_TEXT = 8_192;
/** Milliseconds between two lines of one queue that say what keeps BullMQ from its work. */
const QUIET_MS = 10_000;

/** Log what only BullMQ knows of the jobs of a queue. */
export function watchWorker(worker: QueueWorker, { name, file, lease, broker, logger }: WorkerWatch): void {
  let lastAt = Number.NEGATIVE_INFINITY;
  worker.on('error', (thrown) => {
    // The connection itself says that it is gone, and a lease that is over aborts the signal of its job.
    if (!broker.isReady || isConnectionError(thrown) || LOST_LEASE.test(thrown.message)) return;
    if (performance.now() - lastAt < QUIET_MS) return;
    lastAt = performance.now();
    logSafely(logger, 'warn', `The queue "${name}" cannot go on: ${messageOf(thrown)}. It tries again.`);
  });
  worker.on('stalled', (id) => {
    const message = `${file}: the process that had job ${shownId(id)} gave no sign of life for ${lease} ms. It is given to another.`;
    logSafely(logger, 'warn', message);
  });
  worker.on('failed', (job) => {
    // Whatever its function throws has been logged.
    if (!job?.deferredFailure) return;
    const message = `${file}: job ${shownId(job.id ?? '')} has failed: ${job.stalledCounter} processes ended while they did it.`;
    logSafely(logger, 'error', message);
  });
}

const LOST_LEASE = /could not renew lock|Missing lock|Lock mismatch/;

const isConnectionError = (thrown: NodeJS.ErrnoException): boolean =>
  /^E[A-Z]+$/.test(thrown.code ?? '') || /closed|disconnect|ECONN|socket/i.test(thrown.message);

/** What was thrown as BullMQ stores it. Some names and texts mean something to it, and a text may have no end. */
export function storedFailure(thrown: unknown): Error {
  const failure = new Error(messageOf(thrown).slice(0, MAX_TEXT));
  if (thrown instanceof Error) failure.stack = `${thrown.stack}`.slice(0, MAX_TEXT);
  return failure;
}
