export { workerCount } from './count.js';
export { type NeverServed, Primary } from './primary.js';
export { type WorkerLink, workerLink } from './worker-link.js';
