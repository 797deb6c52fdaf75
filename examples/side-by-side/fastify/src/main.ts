import { createApp } from './app.js';

const app = createApp();
process.on('SIGTERM', () => app.close());
console.log(
  'listening on',
  await app.listen({ port: Number(process.env.PORT ?? 3000), host: process.env.HOST ?? '0.0.0.0' }),
);
