import { redis } from '@fwkit/redis';
import { createClient } from '@redis/client';
import { defineConfig } from 'fwkit';

const url = process.env.REDIS_URL;

export default defineConfig({
  // With a Redis, everything that processes have in common spans all that use it: sessions, rooms, what was said. Without, one process
  // keeps it in memory.
  plugins: url ? [redis({ client: () => createClient({ url }), name: 'chat' })] : [],
  ws: { maxPayload: 8 * 1024 },
  http: { bodyLimit: 8 * 1024 },
  securityHeaders: { csp: { 'default-src': ["'none'"], 'connect-src': ["'self'"], 'style-src': ["'self'"] } },
});
