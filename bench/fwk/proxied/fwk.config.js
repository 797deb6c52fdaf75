import { defineConfig } from 'fwkit';

export default defineConfig({
  http: {
    trustProxy: 1,
    // Longer than HAProxy's health checks take to notice that the backend isn't ready.
    drainDelay: 3_500,
  },
});
