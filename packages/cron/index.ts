/// <reference types="node" preserve="true" />
export { type CronRoute, type Job, type JobOptions, type JobRun, job } from './job.js';
export { type CronOptions, cron } from './plugin.js';
export { type CronRun, type JobApp, runJob } from './run-job.js';
