export type { StopMode } from './messages.js';
export { Primary, workerCount } from './primary.js';
export { type WorkerLink, workerLink } from './worker-link.js';
export type { NeverServed } from './worker-process.js';
