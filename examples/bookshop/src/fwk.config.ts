import { prove } from '@fwkit/prove';
import { defineConfig } from 'fwkit';

export default defineConfig({
  // Who may pass where is in policy.ts: `fwk prove` and each build hold the routes to it.
  plugins: [prove()],
  // Nothing that the shop takes is large: reviews and books are short texts.
  http: { bodyLimit: 64 * 1024 },
  // All of its styles, scripts and pictures are files of its own, and no page of it is shown within another.
  securityHeaders: {
    csp: {
      'default-src': ["'none'"],
      'connect-src': ["'self'"],
      'style-src': ["'self'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    },
    referrerPolicy: 'same-origin',
    permissionsPolicy: { camera: [], microphone: [], geolocation: [] },
  },
});
