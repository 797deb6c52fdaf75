/** fastify, where its logger writes one line for a request in place of two. */
export { guardedWithOneLine as guarded } from './fastify.js';
