import * as assert from 'uvu/assert';
import { json, type Task } from '../task.js';

export const protect: Task = {
  ask: `Pages of https://shop.example, and of no other origin, may use all routes from scripts. POST /api/contact, which is there, takes at most two
requests a minute of one client: further ones get 429. POST /api/import, which is there, takes bodies up to 3 MB; all other routes keep their limit.`,
  given: {
    'api/contact.post.ts': `import { post } from 'fwkit';

export default post(() => 'sent');
`,
    'api/import.post.ts': `import { post } from 'fwkit';

export default post<never, string>((req) => req.body.length);
`,
  },
  solution: {
    'fwk.config.ts': `import { defineConfig } from 'fwkit';

export default defineConfig({ cors: { origin: 'https://shop.example' } });
`,
    'api/contact.post.ts': `import { post } from 'fwkit';

export default post(() => 'sent').meta({ rateLimit: { limit: 2, window: 60 } });
`,
    'api/import.post.ts': `import { post } from 'fwkit';

export default post<never, string>((req) => req.body.length).meta({ bodyLimit: 3_000_000 });
`,
  },
  async check({ ask, send }) {
    const from = async (origin: string) =>
      (await ask('/api/notes', { headers: { origin } })).headers['access-control-allow-origin'];
    assert.is(await from('https://shop.example'), 'https://shop.example');
    assert.is.not(await from('https://evil.example'), 'https://evil.example');
    assert.is.not(await from('https://evil.example'), '*');
    const long = 'x'.repeat(2_900_000);
    assert.is((await send('/api/import', long)).json, 2_900_000);
    assert.is((await send('/api/import', long + long)).status, 413);
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await ask('/api/contact', json({}))).status);
    assert.equal(statuses, [200, 200, 429]);
    assert.is((await send('/api/contact', long)).status === 200, false);
    assert.is((await ask('/api/notes')).status, 200);
  },
};
