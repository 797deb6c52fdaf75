export { workerCount } from './count.js';
export { Primary } from './primary.js';
export { type Post, post } from './worker.js';
