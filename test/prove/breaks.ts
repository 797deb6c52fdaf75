import { endpoint, type GuardedApp, layer, SOCKET } from './guarded-app.js';

/** Changes the files of a project; false if the change does not apply to it. */
export type Change = (app: GuardedApp) => unknown;

const BEGIN = /(next\) => \{\n)/;
const OPEN = layer('  return next();');

/** Rewrites a file; the change does not apply if the text stays the same. */
const rewrite =
  (fileOf: (app: GuardedApp) => string, edit: (text: string, app: GuardedApp) => string): Change =>
  (app) => {
    const file = fileOf(app);
    const text = app.files[file];
    const edited = text === undefined ? undefined : edit(text, app);
    if (edited === undefined || edited === text) return false;
    app.files[file] = edited;
  };

const guard = (edit: (text: string, app: GuardedApp) => string): Change =>
  rewrite(({ guard }) => guard, edit);
/** Lets a request by before the guard asks. */
const letBy = (condition: string): Change =>
  guard((text) => text.replace(BEGIN, `$1  if (${condition}) return next();\n`));
const become = (body: string): Change => guard(() => layer(body));
/** For guards that identify the visitor by ctx. */
const byCtx =
  (change: Change): Change =>
  (app) =>
    ['ctx', 'parts', 'helper', 'redirect'].includes(app.style) ? change(app) : false;
const csrf = (edit: (text: string) => string): Change => rewrite(() => 'middlewares/2.csrf.ts', edit);
const remove =
  (fileOf: (app: GuardedApp) => string): Change =>
  ({ files, ...app }) => {
    const file = fileOf({ files, ...app });
    if (files[file] === undefined) return false;
    delete files[file];
  };
const add =
  (fileOf: (app: GuardedApp) => string, text: string): Change =>
  (app) => {
    app.files[fileOf(app)] = text;
  };
const where =
  (holds: (app: GuardedApp) => boolean, change: Change): Change =>
  (app) =>
    holds(app) ? change(app) : false;
const has =
  (...verbs: string[]) =>
  (app: GuardedApp) =>
    app.verbs.some((verb) => verbs.includes(verb));
const policy = (edit: (text: string, app: GuardedApp) => string): Change => rewrite(() => 'policy.ts', edit);
const config =
  (more: string): Change =>
  ({ files }) => {
    files['fwk.config.ts'] =
      `import { prove } from '@fwkit/prove';\nexport default { plugins: [prove()], ${more} };\n`;
  };
const socketGuard = 'ws/live/_middleware.ts';
const toolGuard = 'mcp/_middleware.ts';

/** Ways to violate the policy. Each must be reported. */
export const BREAKS: Readonly<Record<string, Change>> = {
  'the guard is deleted': remove(({ guard }) => guard),
  'the guard lets everybody in': guard(() => OPEN),
  'the guard asks and goes on': (app) =>
    app.style === 'helper'
      ? rewrite(
          () => 'lib/guards.ts',
          (text) => text.replace('throw error(', 'void error('),
        )(app)
      : guard((text) =>
          text
            .replaceAll('throw error(', 'void error(')
            .replace("return res.redirect('/login', 303)", 'void 0')
            .replace('!who.admin', '!who?.admin'),
        )(app),
  'the condition is turned round': (app) =>
    app.style === 'helper'
      ? rewrite(
          () => 'lib/guards.ts',
          (text) => text.replace('!who?.admin', 'who?.admin'),
        )(app)
      : guard((text) =>
          text
            .replace("!== 'Bearer good'", "=== 'Bearer good'")
            .replace('!who?.admin', 'who?.admin')
            .replace('|| !who.admin', '|| who.admin')
            .replace('(!who) return res', '(who) return res')
            .replace("role !== 'admin'", "role === 'admin'"),
        )(app),
  'and stands for or': where(
    ({ style }) => style === 'parts',
    guard((text) => text.replace('||', '&&').replace('!who.admin', '!who?.admin')),
  ),
  'an await is lost': byCtx(
    become("  const who = ctx.visitor;\n  if (!who) throw error(401, 'Log in first');\n  return next();"),
  ),
  'the refusal is not awaited': where(
    ({ style }) => style === 'helper',
    guard((text) => text.replace('await requireAdmin', 'requireAdmin')),
  ),
  'the guard swallows its own refusal': byCtx(
    become(
      "  try {\n    const who = await ctx.visitor;\n    if (!who?.admin) throw error(403, 'For admins only');\n  } catch {\n    res.header('X-Refused', 'yes');\n  }\n  return next();",
    ),
  ),
  'a rejection is swallowed': byCtx(
    become(
      "  const check = async () => {\n    const who = await ctx.visitor;\n    if (!who?.admin) throw error(403, 'For admins only');\n  };\n  await check().catch(() => {});\n  return next();",
    ),
  ),
  'only GET is guarded': where(has('post', 'put', 'del', 'patch'), letBy("req.method !== 'GET'")),
  'GET is not guarded': where(has('get'), letBy("req.method === 'GET'")),
  'HEAD is not guarded': where(has('get'), letBy("req.method === 'HEAD'")),
  'the guard compares the URL as text': guard((text, { base }) =>
    text.replace(BEGIN, `$1  if (!req.url.pathname.startsWith('/${base}/')) return next();\n`),
  ),
  'the guard compares the path as text': guard((text, { area }) =>
    text.replace(BEGIN, `$1  if (!req.path.includes('/${area}/')) return next();\n`),
  ),
  'the guard knows one path only': letBy("!req.path.endsWith('/never')"),
  'the guard believes X-Forwarded-For': letBy("req.header('x-forwarded-for') === '127.0.0.1'"),
  'the guard believes X-Internal': letBy("req.header('x-internal')"),
  'the guard believes a header of its own': letBy("req.header('x-shop-backend') === '1'"),
  'the guard believes a user agent': letBy("req.header('user-agent')?.includes('kube-probe')"),
  'the guard believes the query': letBy("req.query.preview === '1'"),
  'the guard believes a parameter of its own': letBy('req.query.from_worker'),
  'the guard believes the referer': letBy("req.header('referer')?.startsWith('http://localhost')"),
  'the guard believes a cookie': letBy("req.cookies.admin === 'true'"),
  'the guard compares with a token that is not set': letBy(
    "req.header('authorization') === 'Bearer ' + process.env.NO_SUCH_TOKEN",
  ),
  'any bearer will do': become(
    "  if (!req.header('authorization')) throw error(401, 'Log in first');\n  return next();",
  ),
  'the handler runs before the guard': guard((text) =>
    text
      .replace(BEGIN, '$1  const result = await next();\n')
      .replace(/return next\(\);\n\}\);\n$/, 'return result;\n});\n'),
  ),
  'a member is let in': byCtx(
    become(
      "  const who = await ctx.visitor;\n  if (!who) throw error(401, 'Log in first');\n  return next();",
    ),
  ),
  'the guard fails instead of refusing': byCtx(
    become(
      "  const who = await ctx.visitor;\n  if (!who.admin) throw error(403, 'For admins only');\n  return next();",
    ),
  ),
  'the guard refuses everybody': become("  throw error(403, 'For nobody');"),
  'the guard ends the connection': become(
    '  const who = await ctx.visitor;\n  if (!who?.admin) return req.raw.socket.destroy();\n  return next();',
  ),
  'the visitor is always an admin': byCtx(
    rewrite(
      () => 'di/visitor.ts',
      (text) =>
        text.replace('{ admin: false }', '{ admin: true }').replace(': undefined;', ': { admin: true };'),
    ),
  ),
  'a route in a group beside it': add(
    ({ version, area }) => `api/${version}(open)/${area}/export.get.ts`,
    endpoint('get'),
  ),
  'a page that answers below it': add(({ base }) => `web/${base}/leak.get.ts`, endpoint('get')),
  'a catch-all that answers below it': add(() => 'api/[...rest].get.ts', endpoint('get')),
  'a parameter where the area is': add(
    ({ version }) => `api/${version}[section]/dump.get.ts`,
    endpoint('get'),
  ),
  'a cache answers first': add(
    () => 'middlewares/0.cache.ts',
    layer("  if (req.method !== 'OPTIONS') return { cached: true };\n  return next();"),
  ),
  'the trace comes after csrf': ({ files }) => {
    files['middlewares/3.trace.ts'] = files['middlewares/1.trace.ts'] ?? '';
    delete files['middlewares/1.trace.ts'];
  },
  'the trace is deleted': remove(() => 'middlewares/1.trace.ts'),
  'csrf is deleted': remove(() => 'middlewares/2.csrf.ts'),
  'csrf forgets DELETE and PATCH': where(
    has('del', 'patch'),
    csrf((text) => text.replace("'OPTIONS']", "'OPTIONS', 'DELETE', 'PATCH']")),
  ),
  'csrf trusts what begins alike': where(
    has('post', 'put', 'del', 'patch'),
    csrf((text) =>
      text.replace("origin !== 'http://' + req.header('host')", "!origin.startsWith('http://')"),
    ),
  ),
  'a route says anyOrigin': add(
    ({ base }) => `${base}/hook.post.ts`,
    endpoint('post', '.meta({ anyOrigin: true })'),
  ),
  'the socket loses its guard': remove(() => socketGuard),
  'the guard of the socket lets everybody in': rewrite(
    () => socketGuard,
    () => OPEN,
  ),
  'the guard of the socket does not see handshakes': rewrite(
    () => socketGuard,
    (text) => text.replace(BEGIN, "$1  if (req.header('upgrade')) return next();\n"),
  ),
  'a socket in a group beside it': where(
    ({ hasSockets }) => hasSockets,
    add(() => 'ws/(open)/live/all.ts', SOCKET),
  ),
  'tools lose their guard': remove(() => toolGuard),
  'the guard of tools lets everybody in': rewrite(
    () => toolGuard,
    () => OPEN,
  ),
  'the guard of tools does not see POST': rewrite(
    () => toolGuard,
    (text) => text.replace(BEGIN, "$1  if (req.method === 'POST') return next();\n"),
  ),
  'a tool loses its scopes': rewrite(
    ({ area }) => `mcp/tools/${area}/purge.ts`,
    (text) => text.replace("scopes: ['notes:admin'], ", ''),
  ),
  'any token has all scopes': rewrite(
    () => 'mcp/auth.ts',
    (text) => text.replace('scopes: []', "scopes: ['notes:admin']"),
  ),
  'any token will do': rewrite(
    () => 'mcp/auth.ts',
    (text) => text.replace(': null', ": { subject: 'x', scopes: ['notes:admin'] }"),
  ),
  'a rule for nothing': policy((text) =>
    text.replace('policy([', "policy([\n  under('api/gone/**').refuses(anonymous),"),
  ),
  'an exception for nothing': policy((text, { version }) =>
    text.replace(`except('api/${version}login'`, "except('api/gone'"),
  ),
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
  'a limit of requests, headers, compression and CORS': config(
    "rateLimit: { limit: 20, window: 60 }, securityHeaders: true, compression: true, cors: { origin: 'https://shop.example' }",
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
