import type { Files } from '../harness/project.js';

/** A shop with one of everything that can be called. */
export const shop: Files = {
  'package.json': '{ "private": true, "type": "module", "dependencies": { "nodemailer": "*" } }\n',
  'node_modules/nodemailer/package.json':
    '{ "name": "nodemailer", "main": "index.js", "types": "index.d.cts" }\n',
  'node_modules/nodemailer/index.js': 'exports.send = () => {};\n',
  'fwk.config.ts': `import { prove } from '@fwkit/prove';
import { defineConfig } from 'fwkit';
import { jobs } from './lib/jobs.js';
export default defineConfig({ plugins: [prove(), jobs()] });
`,
  'lib/jobs.ts': `import type { RuntimeCtx } from 'fwkit';
import { type BaseRoute, brand, definePlugin } from 'fwkit/plugin';
const made = brand<{ run: (ctx: RuntimeCtx) => unknown }>('jobs.job');
export const job = (ms: number, run: (ctx: RuntimeCtx) => unknown) => made.mark({ run });
export const jobs = () => definePlugin({
  name: 'jobs',
  apply(hooks) {
    hooks.discover.tap('jobs', (claims) => claims.add('jobs', 'jobs/**'));
    hooks.resolve.tapPromise('jobs', async (routes, project) => {
      const found: BaseRoute[] = project.files('jobs').map((entry) => {
        const label = 'JOB ' + entry.file.replace(/^jobs.|\\.ts$/g, '');
        return { ...entry, protocol: 'jobs', label, id: label };
      });
      return [...routes, ...found];
    });
  },
});
`,
  'jobs/clean.ts': `import { job } from '../lib/jobs.js';
export default job(1000, (ctx) => ctx.database.all());
`,
  'lib/page.ts': 'export const page = (ctx: any) => ctx.catalogue.all();\n',
  'lib/index.ts': "export * from './page.js';\nexport * from './outside.js';\n",
  'lib/outside.ts':
    "import { execSync } from 'node:child_process';\nexport const list = () => execSync('true');\n",
  'services/log.ts': `import { service } from 'fwkit';
export default service((ctx) => ({ note: (text: string) => ctx.logger.debug(text) }));
`,
  'services/database.ts': `import { readFileSync } from 'node:fs';
import { service } from 'fwkit';
export default service(() => ({ all: () => readFileSync(process.env.DATABASE ?? '/dev/null', 'utf8') }));
`,
  'services/catalogue.ts': `import { service } from 'fwkit';
export default service(({ database }) => ({ all: () => database.all(), name: () => 'catalogue' }));
`,
  'services/mail.ts': `import { send } from 'nodemailer';
import { service } from 'fwkit';
export default service(() => ({ send: () => send(process.env.MAIL_URL) }));
`,
  'services/tokens.ts': `import { service } from 'fwkit';
export default service(() => ({ check: (token: string) => ({ subject: token }) }));
`,
  'di/member.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: (_ctx, { req }) => req?.header('x-member') ?? null });
`,
  'middlewares/1.log.ts': `import { middleware } from 'fwkit';
export default middleware((req, _res, { log }, next) => { log.note(req.path); return next(); });
`,
  'api/_middleware.ts': `import { middleware } from 'fwkit';
export default middleware((_req, _res, _ctx, next) => next());
`,
  'api/plain.get.ts': "import { get } from 'fwkit';\nexport default get(() => 'plain');\n",
  'api/books/[id].get.ts': `import { get } from 'fwkit';
import { page } from '../../lib/index.js';
export default get((_req, _res, ctx) => page(ctx));
`,
  'api/books.post.ts': `import { post } from 'fwkit';
export default post({ description: 'Adds a book.', tool: true }, (_req, _res, ctx) => {
  if (ctx.member) ctx.mail.send();
  return ctx.catalogue.all();
});
`,
  'api/outside.get.ts': `import { get } from 'fwkit';
import { list } from '../lib/index.js';
export default get(async () => [list(), await fetch('http://localhost')]);
`,
  'web/get.ts': `import { get, view } from 'fwkit';
export default get((_req, _res, ctx) => view('home', { books: ctx.catalogue.all() }));
`,
  'web/anything.get.ts': `import { get } from 'fwkit';
const name = (req: any): string => req.query.name;
export default get(async (req, _res, ctx: any) => [ctx[name(req)], await fetch('http://localhost')]);
`,
  'ws/books.ts': `import { ws } from 'fwkit';
export default ws(({ ctx, onMessage, send }) => onMessage(() => send(ctx.catalogue.all())));
`,
  'mcp/auth.ts': `import { auth } from 'fwkit/mcp';
export default auth({ servers: ['https://login.example'], verify: (token, ctx) => ctx.tokens.check(token) });
`,
  'mcp/tools/search.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Searches.', handler: (_input: unknown, ctx: any) => ctx.catalogue.all() });
`,
  'mcp/resources/books/[id].ts': `import { resource } from 'fwkit/mcp';
export default resource({ description: 'A book.', list: (ctx) => [{ uri: 'books://1', name: ctx.catalogue.all() }], handler: () => 'book' });
`,
  'views/home.eta': '<% layout("layout") %><a href="/other">home</a>\n',
  'views/layout.eta': '<%~ it.body %>\n',
  'views/other.eta': 'nobody\n',
};
