import type { Files } from '../harness/project.js';

const get = (body: string, more = ''): string =>
  `import { get } from 'fwkit';\n${more}export default get((_req, _res, ctx) => ${body});\n`;

const LOCK = {
  lockfileVersion: 3,
  packages: {
    '': {},
    'node_modules/packaged': { version: '1.0.0', dependencies: { deep: '*' } },
    'node_modules/deep': { version: '1.0.0' },
  },
};

/** A project with one of everything that a change can reach. */
export const shop: Files = {
  'package.json': '{ "private": true, "type": "module", "dependencies": { "packaged": "*" } }\n',
  'package-lock.json': JSON.stringify(LOCK),
  'node_modules/packaged/package.json': '{ "name": "packaged", "main": "index.js", "type": "module" }\n',
  'node_modules/packaged/index.js': 'export const a = 1;\n',
  'fwk.config.ts': `import { cron } from '@fwkit/cron';
import { prove } from '@fwkit/prove';
import { defineConfig } from 'fwkit';
export default defineConfig({ plugins: [prove(), cron()] });
`,
  'services/books.ts': `import { service } from 'fwkit';
export default service(() => ({
    all: () => ['all'],
    one: (id: string) => id,
}));
`,
  'services/visits.ts': `import { service } from 'fwkit';
export default service(() => {
  let visits = 0;
  return {
    enter() { visits += 1; },
    count: () => visits,
  };
});
`,
  'services/store.ts': `import { service } from 'fwkit';
const make = () => new Map<string, number>();
export default service(() => { const all = make(); if (all) return { put: () => all.set('a', 1), got: () => [...all] }; return { put() {} }; });
`,
  'services/shelf.ts': `import { service } from 'fwkit';
const make = () => new Map<string, number>();
export default service(() => { const all = make(); return { put: () => all.set('a', 1), got: () => [...all] }; });
`,
  'lib/page.ts': 'export const page = (ctx: any): string => ctx.books.all().join();\n',
  'lib/words.ts': "export const greeting = () => 'hello';\n",
  'api/books/get.ts': get('ctx.books.all()'),
  'api/books/[id].get.ts': get('[ctx.books.all(), ctx.books.one("1")]'),
  'api/books/best.get.ts': get("['best']"),
  'api/plain.ts': get("'plain'"),
  'api/packaged.get.ts': get('a', "import { a } from 'packaged';\n"),
  'api/visits.get.ts': get('ctx.visits.count()'),
  'api/visits.post.ts': `import { post } from 'fwkit';
export default post((_req, _res, ctx: any) => { ctx.visits.enter(); return 1; });
`,
  'api/stored.get.ts': get('ctx.store.got()'),
  'api/shelved.get.ts': get('ctx.shelf.got()'),
  'api/content.get.ts': get("readdirSync('content')", "import { readdirSync } from 'node:fs';\n"),
  'api/admin/stats.get.ts': get('1'),
  'api/admin/_middleware.ts': `import { error, middleware } from 'fwkit';
export default middleware((req, _res, _ctx, next) => { if (!req.header('x')) throw error(403, {}); return next(); });
`,
  'web/get.ts': get('page(ctx)', "import { page } from '../lib/page.js';\n"),
  'web/about.get.ts': get("view('about', {})", "import { view } from 'fwkit';\n"),
  'views/about.eta': "<% layout('./parts/frame') %>about",
  'views/parts/frame.eta': "<%~ include('./head') %>",
  'views/parts/head.eta': '<h1>',
  'ws/echo.ts': `import { ws } from 'fwkit';
import { greeting } from '../lib/words.js';
export default ws(({ socket }) => { socket.send(greeting()); });
`,
  'cron/nightly.ts': `import { job } from '@fwkit/cron';
import { greeting } from '../lib/words.js';
export default job('0 3 * * *', () => { greeting(); });
`,
  'mcp/tools/list.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'a', handler: (_input, ctx: any) => ctx.books.all().join() });
`,
  'test/books.test.js': `import { createTestApp } from 'fwkit/testing';
const app = await createTestApp();
await app.get('/api/books?page=2');
`,
  'test/page.test.js': "import { page } from '../src/lib/page.ts';\npage();\n",
  'test/plain.test.js': `import { createTestApp } from 'fwkit/testing';
import { ask } from './ask.js';
await ask(await createTestApp());
`,
  'test/ask.js': 'export const ask = (app) => app.get(`/api/plain`);\n',
  'test/unknown.test.js': "import { createTestApp } from 'fwkit/testing';\nawait createTestApp();\n",
};
