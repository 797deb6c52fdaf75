/**
 * A `fwk.config.ts` with a plugin that has the port open, says so with `[open] <url>`, and goes on at SIGUSR2. It comes between
 * the server and what listens for handshakes on it.
 */
export const SLOW_START = `import { defineConfig } from 'fwkit';
import { definePlugin, Stage } from 'fwkit/plugin';

const slow = definePlugin({
  name: 'slow',
  apply(hooks) {
    hooks.serve.tapPromise({ name: 'slow', stage: Stage.finish, before: 'ws' }, async ({ runtime }) => {
      console.log('[open]', runtime.transport.urls[0]);
      await new Promise((resolve) => process.once('SIGUSR2', resolve));
    });
  },
});
export default defineConfig({ plugins: [slow] });
`;
