import * as assert from 'uvu/assert';
import { served } from '../../harness/served.js';
import { module, route } from '../../harness/source.js';

// Mistakes that only a request shows have codes, as those of a start have.

served(
  {
    'fwk.config.ts': module('defineConfig', 'export default defineConfig({ rateLimit: { limit: 100 } });'),
    'api/logger.get.ts': route('get', '(req, res, ctx) => { ctx.logger = console; }'),
    'api/added.get.ts': route('get', '(req, res, ctx) => { ctx.added = 1; }'),
    'api/past/_middleware.ts': module(
      'middleware',
      `export default middleware(async (req, res, ctx, next) => {
        for await (const piece of req.raw) void piece;
        return next();
      });`,
    ),
    'api/past/x.post.ts': route('post', '(req) => req.body'),
  },
  (own, site) => {
    const codeOf = async (path: string, more: RequestInit = {}): Promise<unknown> => {
      const answer = await site.dev.fetch(path, { ...more, headers: { accept: 'application/json' } });
      assert.is(answer.status, 500, path);
      return Object(await answer.json()).code;
    };

    own('what cannot be assigned', async () => {
      assert.is(await codeOf('/api/logger'), 'FWK313');
      assert.is(await codeOf('/api/added'), 'FWK313');
    });

    own('a body that was read past req.body', async () => {
      assert.is(await codeOf('/api/past/x', { method: 'POST', body: 'text' }), 'FWK417');
    });

    own('a limit that counts all clients of a proxy as one', async () => {
      const from = site.dev.output.mark();
      await site.raw('/api/none', { headers: { 'x-forwarded-for': '192.0.2.1' } });
      await site.raw('/api/added', { headers: { 'x-forwarded-for': '192.0.2.1' } });
      await site.dev.waitFor(/FWK407 rateLimit counts all clients of a proxy as one/, from);
    });
  },
);
