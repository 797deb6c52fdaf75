import { Visitor } from '../../harness/cookie-client.js';
import type { Files } from '../../harness/project.js';
import type { Site } from '../../harness/served.js';
import { configFile, di, middleware, module, postRoute, route } from '../../harness/source.js';

const adding = (names: string, answer: string) =>
  route(names, `async (req, res, ctx) => { ctx.cart.items.push(req.params.item); ${answer} }`);

/** A project with values per visitor, and routes that read and write them in every way. */
export const files: Files = {
  'fwk.config.ts': `import { definePlugin, scopesOf } from 'fwkit/plugin';
${configFile('{ http: { trustProxy: true }, plugins: [job()] }')}
function job() {
  return definePlugin({
    name: 'job',
    apply(hooks) {
      hooks.serve.tapPromise('job', async ({ project }) => {
        try { scopesOf(project).open(undefined).ctx.cart; } catch (thrown) { console.log('[job] ' + thrown.message); }
      });
    },
  });
}
`,
  'di/cart.ts': di('session', '{ items: [] }'),
  'di/user.ts': di(
    'session',
    `(ctx, { req }) => ({ name: null, language: req.header('accept-language') ?? 'en' })`,
  ),
  'di/count.ts': di('request', '(ctx) => ctx.cart.items.length'),
  'di/bad-map.ts': di('session', '() => new Map()'),
  'middlewares/1.count.ts': middleware(`(req, res, ctx, next) => {
       if (req.query.by === 'middleware') ctx.cart.items.push('from a middleware');
       res.header('x-count', ctx.count);
       return next();
     }`),
  'api/plain.ts': route('get', `() => 'plain'`),
  'api/cart.ts': route('get', '(req, res, ctx) => ctx.cart.items'),
  'api/user.ts': route('get', '(req, res, ctx) => ctx.user'),
  'api/add/[item].ts': adding('post', 'return ctx.cart.items;'),
  'api/redirect/[item].ts': adding('post', `res.redirect('/api/cart', 303);`),
  'api/empty/[item].ts': adding('post', ''),
  'api/stream/[item].ts': adding('post', `return (async function* () { yield 'a'; yield 'b'; })();`),
  'api/web/[item].ts': adding('post', `return new Response('text', { headers: { 'set-cookie': 'a=b' } });`),
  'api/refused/[item].ts': adding('post, error', `throw error(409, 'no');`),
  'api/late/[item].ts': postRoute(
    `async (req, res, ctx) => { res.json(1); await null; setImmediate(() => {}); await new Promise(setImmediate); ctx.user.name = req.params.item; }`,
  ),
  'api/login/[name].ts': module(
    'post, renewSession',
    'export default post((req, res, ctx) => { renewSession(req); ctx.user.name = req.params.name; return ctx.user.name; });',
  ),
  'api/logout.ts': module(
    'post, endSession',
    'export default post((req, res, ctx) => { const before = ctx.cart; endSession(req); before.items.push(0); return ctx.cart.items; });',
  ),
  'api/restart.ts': module(
    'post, endSession',
    `export default post((req, res, ctx) => { endSession(req); ctx.cart.items.push('new'); });`,
  ),
  'api/too-late.ts': module(
    'get, renewSession',
    `export default get((req, res, ctx) => { res.json(1); try { renewSession(req); } catch (thrown) { console.log('[too late] ' + thrown.message); } });`,
  ),
  'api/bad/[what].ts': postRoute(`(req, res, ctx) => {
       ctx.cart.items.push({ map: new Map(), date: new Date(), nan: NaN, function: () => 1, itself: ctx.cart }[req.params.what]);
     }`),
  'api/bad-initial.ts': route('get', '(req, res, ctx) => ctx.badMap'),
  'lib/gate.ts': 'export const gate = {};\ngate.opened = new Promise((open) => { gate.open = open; });\n',
  'api/wait/[what].ts': `import { gate } from '../../lib/gate.js';\n${postRoute(`async (req, res, ctx) => {
       ctx.cart; ctx.user;
       console.log('[waits]');
       await gate.opened;
       if (req.params.what === 'cart') ctx.cart.items.push('late'); else ctx.user.name = 'late';
     }`)}`,
  'api/open.ts': `import { gate } from '../lib/gate.js';\n${route('post', '() => { gate.open(); gate.opened = new Promise((open) => { gate.open = open; }); }')}`,
};

/** The visitors of the project. */
export function visitors(site: Site) {
  const visitor = (cookie?: string) => new Visitor(site.dev.url, cookie);
  return {
    visitor,
    /** One with these items in the cart. */
    async having(...items: string[]): Promise<Visitor> {
      const made = visitor();
      for (const item of items) await made.post(`/api/add/${item}`);
      return made;
    },
  };
}
