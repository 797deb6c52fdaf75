import { defineConfig } from 'fwkit';

export default defineConfig({
  cors: { origin: 'https://shop.example', exposedHeaders: ['X-Total'] },
  securityHeaders: true,
  log: { access: true },
});
