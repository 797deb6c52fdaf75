import * as assert from 'uvu/assert';
import { initialize, post, rpc } from '../../harness/rpc.js';
import { inProduction } from '../in-production.js';
import type { Task } from '../task.js';

export const toolsWithWorkers: Task = {
  ask: `In production (npm run build && npm start) the app runs with two workers. There, too, assistants can call the MCP tool "countNotes", which takes
nothing and gives the structured content {"count": 2}, as many notes as there are.`,
  solution: {
    'main.ts': `import { bootstrap } from 'fwkit';

await bootstrap({ workers: 2 });
`,
    'fwk.config.ts': `import { defineConfig } from 'fwkit';

export default defineConfig({ mcp: { sessions: false } });
`,
    'mcp/tools/count-notes.ts': `import { tool } from 'fwkit/mcp';
import { z } from 'zod';

export default tool({
  description: 'Counts the notes.',
  output: z.object({ count: z.number() }),
  handler: (_input, ctx) => ({ count: ctx.notes.all().length }),
});
`,
  },
  async check({ project, stop }) {
    await stop();
    await inProduction(project, async (url) => {
      const { headers } = await post(url, initialize);
      const id = headers['mcp-session-id'];
      const session = typeof id === 'string' ? { 'mcp-session-id': id } : {};
      const call = () => post(url, rpc('tools/call', { name: 'countNotes', arguments: {} }), session);
      for (const { text } of await Promise.all(Array.from({ length: 8 }, call)))
        assert.match(text, /"structuredContent":\{"count":2\}/);
    });
  },
};
