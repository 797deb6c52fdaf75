import { redis } from '@fwkit/redis';
import { createClient } from '@redis/client';
import { defineConfig } from 'fwkit';

const url = process.env.REDIS_URL;

export default defineConfig({
  // With Redis, all processes share their sessions, rooms and messages. Without it, one process keeps them in memory.
  plugins: url ? [redis({ client: () => createClient({ url }), name: 'chat' })] : [],
  ws: { maxPayload: 8 * 1024 },
  http: { bodyLimit: 8 * 1024 },
  securityHeaders: { csp: { 'default-src': ["'none'"], 'connect-src': ["'self'"], 'style-src': ["'self'"] } },
});
