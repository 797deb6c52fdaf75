/// <reference types="node" preserve="true" />
export type {} from './codes.js';
export type { CronRun } from './cron-run.js';
export { type Job, type JobOptions, type JobRun, job } from './job.js';
export { type CronOptions, cron } from './plugin.js';
export type { CronRoute } from './route.js';
export { type JobApp, runJob } from './run-job.js';
