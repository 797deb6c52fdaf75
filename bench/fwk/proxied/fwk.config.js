import { defineConfig } from 'fwkit';

export default defineConfig({
  http: {
    trustProxy: 1,
    // Longer than the checks of HAProxy take to see that it is not ready.
    drainDelay: 3_500,
  },
});
