import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

export const domainErrors: Task = {
  ask: `What ctx.notes throws as a NoteTaken (src/lib/errors.ts) is answered with 409 and {"message": <its message>} by every route, those that are
written later, too, without a try in any of them. All other errors stay what they are.`,
  given: {
    'lib/errors.ts': `export class NoteTaken extends Error {}
`,
    'services/notes.ts': `import { service } from 'fwkit';
import { NoteTaken } from '../lib/errors.js';

export default service(() => ({
  all: () => [] as string[],
  claim(id: string): void {
    if (id === 'taken') throw new NoteTaken('Somebody has it');
    if (id === 'broken') throw new Error('The disk is full');
  },
}));
`,
    'api/claims/[id].put.ts': `import { put } from 'fwkit';

export default put((req, _res, ctx) => ctx.notes.claim(req.params.id));
`,
    'web/claims/[id].get.ts': `import { get } from 'fwkit';

export default get(async (req, _res, ctx) => {
  await Promise.resolve();
  ctx.notes.claim(req.params.id);
  return 'free';
});
`,
  },
  solution: {
    'middlewares/1.errors.ts': `import { error, middleware } from 'fwkit';
import { NoteTaken } from '../lib/errors.js';

export default middleware(async (_req, _res, _ctx, next) => {
  try {
    return await next();
  } catch (thrown) {
    if (thrown instanceof NoteTaken) throw error(409, { message: thrown.message });
    throw thrown;
  }
});
`,
  },
  async check({ ask }) {
    for (const [path, method] of [
      ['/api/claims/taken', 'PUT'],
      ['/claims/taken', 'GET'],
    ] as const) {
      const taken = await ask(path, { method });
      assert.is(taken.status, 409);
      assert.equal(taken.json, { message: 'Somebody has it' });
    }
    assert.is((await ask('/api/claims/free', { method: 'PUT' })).status, 204);
    const broken = await ask('/api/claims/broken', { method: 'PUT' });
    assert.is(broken.status, 500);
    assert.is((await ask('/claims/nothing/here')).status, 404);
  },
};
