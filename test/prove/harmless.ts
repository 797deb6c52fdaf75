import type { Change } from './breaks.js';
import { endpoint, type GuardedApp, layer } from './guarded-app.js';

const BEGIN = /(next\) => \{\n)/;
const config =
  (more: string): Change =>
  (app) => {
    app.files['fwk.config.ts'] =
      `import { prove } from '@fwkit/prove';\nexport default { plugins: [prove()], ${more} };\n`;
  };
const guard =
  (edit: (text: string) => string): Change =>
  (app) => {
    const text = app.files[app.guard] ?? '';
    const edited = edit(text);
    if (edited === text) return false;
    app.files[app.guard] = edited;
    return undefined;
  };
const add =
  (fileOf: (app: GuardedApp) => string, text: string): Change =>
  ({ files, ...app }) => {
    files[fileOf({ files, ...app })] = text;
  };

/** Changes that break nothing. Nothing may be found of them. */
export const HARMLESS: Readonly<Record<string, Change>> = {
  nothing: () => {},
  'another guarded route': add(({ base }) => `${base}/more/[id].get.ts`, endpoint('get')),
  'a guarded route for all methods': (app) => {
    app.files[`${app.base}/any.all.ts`] = endpoint('all');
  },
  'another open route': add(({ version }) => `api/${version}extra/[id].get.ts`, endpoint('get')),
  'a log line in the guard': guard((text) =>
    text.replace(BEGIN, '$1  ctx.logger.debug(req.method, req.path);\n'),
  ),
  'a guard that prints': guard((text) => text.replace(BEGIN, '$1  console.log(req.path);\n')),
  'one more layer': add(
    () => 'middlewares/5.headers.ts',
    layer("  res.header('X-Content-Type-Options', 'nosniff');\n  return next();"),
  ),
  'a parameter that a literal goes before': ({ files, base }) => {
    const directory = base.slice(0, base.lastIndexOf('/'));
    files[`${directory}/[section].get.ts`] = endpoint('get');
    files[`${base}/get.ts`] = endpoint('get');
  },
  'the guard answers 404': guard((text) =>
    text
      .replace("401, 'Log in first'", "404, 'Nothing here'")
      .replace("403, 'For admins only'", "404, 'Nothing here'"),
  ),
  'a cache inside the guard': ({ files, base }) => {
    files[`${base}/cached/_middleware.ts`] = layer('  return { cached: true };');
    files[`${base}/cached/list.get.ts`] = endpoint('get');
  },
  'a guard that reads the body': guard((text) => text.replace(BEGIN, '$1  await req.readBody();\n')),
  'a public route, which the guard lets be': (app) => {
    guard((text) => text.replace(BEGIN, '$1  if (req.route.meta.public) return next();\n'))(app);
    app.files[`${app.base}/status.get.ts`] = endpoint('get', ".meta({ public: 'the balancer asks it' })");
  },
  'a layer that needs what handlers give': add(
    () => 'middlewares/6.wrap.ts',
    layer('  const given = await next();\n  return given === undefined ? given : { data: given.data };'),
  ),
  'a limit of requests': config('rateLimit: { limit: 20, window: 60 }'),
  'headers, compression and CORS': config(
    "securityHeaders: true, compression: true, cors: { origin: 'https://shop.example' }",
  ),
  'a route with a cache': ({ files, base }) => {
    files[`${base}/slow.get.ts`] = endpoint('get', '.meta({ cache: { maxAge: 10 } })');
  },
  'events, a page and a tool that are routes': ({ files, base }) => {
    files[`${base}/events.get.ts`] =
      "import { sse } from 'fwkit';\nexport default sse(() => { throw new Error('a handler ran'); });\n";
    files[`${base}/found.get.ts`] =
      "import { get } from 'fwkit';\nexport default get({ tool: { name: 'find', description: 'Finds.' } }, () => { throw new Error('a handler ran'); });\n";
  },
};
