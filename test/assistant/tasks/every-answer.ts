import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

export const everyAnswer: Task = {
  ask: `Every answer has the header "x-served-by: notes": of all routes, of URLs that nothing answers, of wrong methods and of handlers that throw.
One file.`,
  given: {
    'api/broken.get.ts': `import { get } from 'fwkit';

export default get(() => {
  throw new Error('broken');
});
`,
  },
  solution: {
    'middlewares/1.served-by.ts': `import { middleware } from 'fwkit';

export default middleware((_req, res, _ctx, next) => {
  res.header('x-served-by', 'notes');
  return next();
});
`,
  },
  async check({ ask }) {
    const answers = [
      [200, await ask('/api/notes')],
      [404, await ask('/api/nothing')],
      [404, await ask('/nothing')],
      [405, await ask('/api/notes', { method: 'DELETE' })],
      [500, await ask('/api/broken')],
    ] as const;
    for (const [status, answer] of answers) {
      assert.is(answer.status, status);
      assert.is(answer.headers['x-served-by'], 'notes', String(status));
    }
  },
};
