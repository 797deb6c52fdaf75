import { defineConfig } from 'fwkit';

export default defineConfig({
  // Nothing that the shop takes is large: reviews and books are short texts.
  http: { bodyLimit: 64 * 1024 },
  // All of its styles and scripts are files of its own.
  securityHeaders: {
    csp: { 'style-src': ["'self'"] },
    permissionsPolicy: { camera: [], microphone: [], geolocation: [] },
  },
});
