export { workerCount } from './count.js';
export { type NeverServed, Primary } from './primary.js';
export { type Post, post } from './worker-link.js';
