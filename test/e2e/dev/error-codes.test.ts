import * as assert from 'uvu/assert';
import { served } from '../../harness/served.js';
import { configFile, middleware, route } from '../../harness/source.js';

const browser = { accept: 'text/html,*/*;q=0.8' };
const program = { accept: 'application/json' };

served(
  {
    'api/big.get.ts': route('get', '() => ({ id: 1n })'),
    'api/own.get.ts': route('get', '() => { throw new Error("mine"); }'),
    'api/x.get.ts': route('get', '() => 1'),
    'fwk.config.ts': configFile('{ rateLimit: { limit: 100 } }'),
    'api/logger.get.ts': route('get', '(req, res, ctx) => { ctx.logger = console; }'),
    'api/added.get.ts': route('get', '(req, res, ctx) => { ctx.added = 1; }'),
    'api/past/_middleware.ts': middleware(`async (req, res, ctx, next) => {
        for await (const piece of req.raw) void piece;
        return next();
      }`),
    'api/past/x.post.ts': route('post', '(req) => req.body'),
  },
  (own, site) => {
    own('a result that cannot be serialized has a code, and an error of the project has none', async () => {
      assert.is(Object((await site.raw('/api/big', { headers: program })).json).code, 'FWK410');
      const page = await site.raw('/api/big', { headers: browser });
      assert.match(page.text, '<code>npx fwk docs FWK410</code>');
      const text = await site.raw('/api/big', { headers: { accept: '*/*' } });
      assert.match(text.text, '\nnpx fwk docs FWK410\n');
      assert.is(Object((await site.raw('/api/own', { headers: program })).json).code, undefined);
    });

    own('responses after a broken edit name the code of its mistake', async () => {
      const from = site.dev.output.mark();
      site.project.write('api/x.get.ts', 'export default 1;');
      await site.dev.waitFor(/still serving the last good version/, from);
      const { outdated } = Object((await site.raw('/api/own', { headers: program })).json);
      assert.is(outdated[0].code, 'FWK105');
      const page = await site.raw('/api/own', { headers: browser });
      assert.match(page.text, '<li><code>FWK105</code> ');
      assert.match(page.text, '<code>npx fwk docs FWK105</code>');
    });

    const codeOf = async (path: string, more: RequestInit = {}): Promise<unknown> => {
      const answer = await site.dev.fetch(path, { ...more, headers: { accept: 'application/json' } });
      assert.is(answer.status, 500, path);
      return Object(await answer.json()).code;
    };

    own('an assignment that ctx rejects', async () => {
      assert.is(await codeOf('/api/logger'), 'FWK313');
      assert.is(await codeOf('/api/added'), 'FWK313');
    });

    own('a body that was read from the raw request', async () => {
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
