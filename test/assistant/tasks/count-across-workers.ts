import * as assert from 'uvu/assert';
import { request } from '../../harness/http.js';
import { inProduction } from '../in-production.js';
import type { Task } from '../task.js';

export const countAcrossWorkers: Task = {
  ask: `In production (npm run build && npm start) the app runs with two workers. GET /api/visits counts its visits and answers the number of this one,
1 for the first, over all workers together: no number comes twice, and none is left out.`,
  solution: {
    'main.ts': `import { bootstrap } from 'fwkit';

await bootstrap({ workers: 2 });
`,
    'services/visits.ts': `import { service } from 'fwkit';

export default service((_ctx, { peers }) => {
  const memory = peers.memory('visits');
  return { count: (): Promise<number> => Promise.resolve(memory.add('all', 1, 31_536_000)) };
});
`,
    'api/visits.get.ts': `import { get } from 'fwkit';

export default get((_req, _res, ctx) => ctx.visits.count());
`,
  },
  async check({ project, stop }) {
    await stop();
    await inProduction(project, async (url) => {
      const answers = await Promise.all(Array.from({ length: 40 }, () => request(url, '/api/visits')));
      const numbers = answers.map(({ json }) => json as number).sort((a, b) => a - b);
      assert.equal(
        numbers,
        Array.from({ length: 40 }, (_, index) => index + 1),
      );
    });
  },
};
