/** Fastify with the graceful shutdown from its documentation: `close()` on the signal. */
import createFastify from 'fastify';

const app = createFastify();
app.get('/api/hello', () => ({ hello: 'world' }));
await app.listen({ port: Number(process.env.PORT), host: process.env.HOST });
process.once('SIGTERM', async () => {
  await app.close();
  process.exit(0);
});
