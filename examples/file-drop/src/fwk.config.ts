import { cron } from '@fwkit/cron';
import { defineConfig } from 'fwkit';

export default defineConfig({
  plugins: [cron()],
  // An upload may take half a day as long as it does not stall: src/lib/incoming.ts aborts stalled ones.
  http: { requestTimeout: 12 * 3_600_000, maxFiles: 20 },
  rateLimit: { paths: { '/api/upload': { limit: 120, window: 60 } } },
  // The app has no sessions, but pages of other sites may not upload or delete files either.
  csrf: { when: 'always' },
  securityHeaders: { csp: { 'default-src': ["'none'"], 'connect-src': ["'self'"], 'style-src': ["'self'"] } },
});
