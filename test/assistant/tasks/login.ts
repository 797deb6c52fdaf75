import * as assert from 'uvu/assert';
import { json, type Task } from '../task.js';

export const login: Task = {
  ask: `Visitors log in: POST /api/login with the JSON {"name": "ada"} answers 204, and from then on GET /api/me answers
{"name": "ada"} to this visitor; to one who is not logged in it answers 401. POST /api/logout answers 204 and forgets the visitor. A session id
that somebody had before the login must be worth nothing after it. Use the sessions of fwk.`,
  solution: {
    'di/user.ts': `import { di } from 'fwkit';

export interface User {
  name: string;
}

export default di({ lifetime: 'session', value: () => null as User | null });
`,
    'api/login.post.ts': `import { post, renewSession } from 'fwkit';
import { z } from 'zod';

export default post({ body: z.object({ name: z.string().min(1) }) }, (req, _res, ctx) => {
  renewSession(req);
  ctx.user = { name: req.body.name };
});
`,
    'api/me.get.ts': `import { error, get } from 'fwkit';

export default get((_req, _res, ctx) => {
  if (!ctx.user) throw error(401, { message: 'Log in first' });
  return ctx.user;
});
`,
    'api/logout.post.ts': `import { endSession, post } from 'fwkit';

export default post((req) => endSession(req));
`,
  },
  async check({ visitor, url }) {
    const ada = visitor();
    assert.is((await ada.visit('/api/me')).status, 401);
    assert.is((await ada.visit('/api/login', json({ name: 'ada' }))).status, 204);
    const before = ada.cookie;
    assert.equal(await ada.json('/api/me'), { name: 'ada' });
    assert.is((await visitor().visit('/api/me')).status, 401);
    assert.is((await ada.visit('/api/login', json({ name: 'ida' }))).status, 204);
    assert.equal(await ada.json('/api/me'), { name: 'ida' });
    assert.is.not(ada.cookie, before);
    const planted = visitor();
    planted.cookie = before;
    assert.is((await planted.visit('/api/me')).status, 401, `the id from before the login counts at ${url}`);
    const last = ada.cookie;
    assert.is((await ada.visit('/api/logout', json({}))).status, 204);
    planted.cookie = last;
    assert.is((await planted.visit('/api/me')).status, 401);
  },
};
