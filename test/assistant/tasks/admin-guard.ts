import * as assert from 'uvu/assert';
import type { Task } from '../task.js';

export const adminGuard: Task = {
  ask: `Only who sends "authorization: Bearer <the ADMIN_TOKEN of the environment>" may have anything below /api/admin; all others get 401 there, for URLs
that nothing answers, too, and for routes that somebody adds later. GET /api/admin/stats answers {"notes": <how many notes there are>}.`,
  solution: {
    'api/admin/_middleware.ts': `import { timingSafeEqual } from 'node:crypto';
import { error, middleware } from 'fwkit';

export default middleware((req, _res, _ctx, next) => {
  const given = Buffer.from(req.header('authorization') ?? '');
  const right = Buffer.from(\`Bearer \${process.env.ADMIN_TOKEN}\`);
  if (!process.env.ADMIN_TOKEN || given.length !== right.length || !timingSafeEqual(given, right))
    throw error(401, { message: 'For admins only' });
  return next();
});
`,
    'api/admin/stats.get.ts': `import { get } from 'fwkit';

export default get((_req, _res, ctx) => ({ notes: ctx.notes.all().length }));
`,
  },
  async check({ ask }) {
    const admin = { headers: { authorization: 'Bearer letmein' } };
    assert.equal((await ask('/api/admin/stats', admin)).json, { notes: 2 });
    assert.is((await ask('/api/admin/nothing', admin)).status, 404);
    for (const path of [
      '/api/admin/stats',
      '/api/admin/nothing',
      '/api/%61dmin/stats',
      '/api/admin/stats?x=/api/notes',
    ])
      for (const authorization of [undefined, 'Bearer undefined', 'Bearer ', 'letmein'])
        assert.is((await ask(path, { headers: authorization ? { authorization } : {} })).status, 401, path);
    assert.is((await ask('/api/notes')).status, 200);
  },
};
