/**
 * A `fwk.config.ts` with a plugin that opens the port, prints `[open] <url>`, and continues on SIGUSR2. It runs between
 * the server and the WebSocket handshakes.
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
