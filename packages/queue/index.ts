/// <reference types="node" preserve="true" />

export type { JobRun } from './job-run.js';
export type { AddOptions, Transaction } from './options.js';
export { type QueuesOptions, type QueuesSettings, queues } from './plugin.js';
export {
  type Backoff,
  type FailedJob,
  type Job,
  type Limiter,
  type Producer,
  type ProducerOf,
  type Progress,
  type QueueDefinition,
  type QueueOptions,
  queue,
  type StoredJob,
} from './queue.js';
