import { defineConfig } from 'fwkit';

export default defineConfig({
  // Nothing that the shop takes is large: reviews and books are short texts.
  http: { bodyLimit: 64 * 1024 },
});
