import { prove } from '@fwkit/prove';
import { defineConfig } from 'fwkit';

export default defineConfig({
  // policy.ts defines the access rules, which `fwk prove` and each build check.
  plugins: [prove()],
  // The shop only receives short texts: reviews and books.
  http: { bodyLimit: 64 * 1024 },
  // All styles, scripts and pictures are files of the shop, and no other site may show its pages in a frame.
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
