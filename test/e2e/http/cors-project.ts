import type { Files } from '../../harness/project.js';
import { module, route, wsModule } from '../../harness/source.js';

/** The page that may ask. */
export const SHOP = 'https://shop.example';
/** An origin that is not allowed. */
export const EVIL = 'https://evil.example';

const meta = (options: string): string => `).meta({ cors: ${options} }`;
/** A route with these options. */
export const answering = (options: string): string =>
  module('get', `export default get(() => ({ a: 1 })${meta(options)});`);

/** Has options for all, for paths and for routes. */
export const corsProject: Files = {
  'fwk.config.ts': `import { defineConfig } from 'fwkit';
export default defineConfig({
  cors: {
    origin: ['${SHOP}', 'https://*.shops.example', 'http://localhost:*', 'capacitor://localhost'],
    credentials: true,
    exposedHeaders: ['X-Total', 'X-Next'],
    paths: { '/api/public': { origin: '*', credentials: false }, '/api/admin': false, '/open': { origin: 'null', credentials: false } },
  },
});`,
  'api/things.get.ts': route('get', `() => ({ a: 1 })`),
  'api/things.post.ts': route('post', `({ body }) => body`),
  'api/small.post.ts': module('post', 'export default post(({ body }) => body).meta({ bodyLimit: 4 });'),
  'api/crash.ts': route('get', `() => { throw new Error('broken'); }`),
  'api/own.get.ts': route(
    `(req, res) => { res.header('Access-Control-Allow-Origin', 'https://own.example').header('Vary', 'Accept'); return 1; }`,
  ),
  'api/own.options.ts': route('options', `(req, res) => { res.header('x-own', 'yes').status(200).end(); }`),
  'api/stream.get.ts': route('get', `async function* () { yield 'piece'; }`),
  'api/tagged.get.ts': route('get', `(req, res) => { res.header('ETag', '"1"'); return 1; }`),
  'api/admin/users.get.ts': route('get', '() => 1'),
  'api/admin/users.options.ts': route('options', '(req, res) => { res.status(200).end(); }'),
  'api/admin/shared.get.ts': answering(`{ origin: '${SHOP}' }`),
  'api/public/all.get.ts': route('get', '() => 1'),
  'api/public/none.get.ts': answering('false'),
  'api/reflected.ts': answering(
    `{ origin: true, credentials: false, maxAge: 0, methods: ['get', 'patch'], allowedHeaders: ['X-Key'], exposedHeaders: [] }`,
  ),
  'api/asked.ts': answering(
    `{ origin: (origin, raw) => raw.url.includes(new URL(origin).hostname), allowedHeaders: [] }`,
  ),
  'api/throws.ts': answering(`{ origin: () => { throw new Error('no list'); } }`),
  'api/late.ts': answering(`{ origin: async () => { throw new Error('no database'); } }`),
  'ws/chat.ts': wsModule('() => {}'),
  'middlewares/1.guard.ts': module(
    'middleware, error',
    `export default middleware((req, res, ctx, next) => { if (req.header('x-stop')) throw error(401, 'stopped'); return next(); });`,
  ),
  'public/data.json': '{}',
  'public/open/data.json': '{}',
};
