import underPressure from '@fastify/under-pressure';
import fastify from 'fastify';
import { work } from './work.js';

const app = fastify();
const maxEventLoopDelay = Number(process.env.MAX_DELAY);
if (maxEventLoopDelay > 0) app.register(underPressure, { maxEventLoopDelay, retryAfter: 1 });
app.register(async (routes) => {
  routes.get('/api/work', () => {
    work(4);
    return { ok: true };
  });
});
app.get('/healthz', () => 'ok');
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
