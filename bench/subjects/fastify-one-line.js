/** fastify with a logger that writes one line per request instead of two. */
export { guardedWithOneLine as guarded } from './fastify.js';
