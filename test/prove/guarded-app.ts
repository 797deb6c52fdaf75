import { Random } from '../fuzz/random.js';

// Small projects with guards, made from a seed, and the policy that they keep. Sources carry no type annotations.

/** Texts by name, as `project()` takes them. Breaks change them in place. */
export type Sources = Record<string, string>;

const VERBS = ['get', 'get', 'post', 'put', 'del', 'patch'];
const NAMES = [
  'users',
  'books',
  'orders',
  'stats',
  'keys',
  'teams',
  'files',
  'notes',
  'audit',
  'plans',
  'rooms',
];
const AREAS = ['admin', 'staff', 'internal', 'manage'];
const VERSIONS = ['', 'v1/', 'v2/'];

/** A route that would record its call. */
export const endpoint = (verb: string, more = ''): string =>
  `import { ${verb} } from 'fwkit';\nexport default ${verb}(() => { throw new Error('a handler ran'); })${more};\n`;

export const SOCKET =
  "import { ws } from 'fwkit';\nexport default ws(() => { throw new Error('a handler ran'); });\n";

export const layer = (body: string, imports = ''): string =>
  `import { error, middleware } from 'fwkit';\n${imports}export default middleware(async (req, res, ctx, next) => {\n${body}\n});\n`;

export const tool = (more = ''): string =>
  `import { tool } from 'fwkit/mcp';\nexport default tool({ description: 'Purges.', ${more}handler: () => { throw new Error('a handler ran'); } });\n`;

/** How an area is guarded: strangers and members must be refused. */
export const STYLES = {
  header:
    "  if (req.header('authorization') !== 'Bearer good') throw error(401, 'Log in first');\n  return next();",
  ctx: "  const who = await ctx.visitor;\n  if (!who?.admin) throw error(who ? 403 : 401, 'For admins only');\n  return next();",
  parts:
    "  const who = await ctx.visitor;\n  if (!who || !who.admin) throw error(403, 'For admins only');\n  return next();",
  helper: '  await requireAdmin(await ctx.visitor);\n  return next();',
  redirect:
    "  const who = await ctx.visitor;\n  if (!who) return res.redirect('/login', 303);\n  if (!who.admin) throw error(403, 'For admins only');\n  return next();",
  session:
    "  if (!ctx.login.name) return res.redirect('/login', 303);\n  if (ctx.login.role !== 'admin') throw error(403, 'For admins only');\n  return next();",
} as const;
export type Style = keyof typeof STYLES;

export const HELPER =
  "import { error } from 'fwkit';\nexport async function requireAdmin(who) {\n  if (!who?.admin) throw error(who ? 403 : 401, 'For admins only');\n}\n";

const VISITOR = `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: async (ctx, { req }) => {
  const token = req?.header('authorization');
  return token === 'Bearer good' ? { admin: true } : token === 'Bearer member' ? { admin: false } : undefined;
} });
`;
/** The header names a value of the session, so that tests of guards need no login. */
const LOGIN = `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: (ctx, { req }) => {
  const token = req?.header('authorization');
  return token === 'Bearer good' ? { name: 'Ada', role: 'admin' } : token === 'Bearer member' ? { name: 'Bob', role: 'member' } : {};
} });
`;
export const CSRF = layer(
  "  if (req.route.meta.anyOrigin) return next();\n  const origin = req.header('origin');\n  if (!['GET', 'HEAD', 'OPTIONS'].includes(req.method) && origin !== undefined && origin !== 'http://' + req.header('host')) throw error(403, 'Pages of other sites may not do that');\n  return next();",
);
const AUTH = `import { auth } from 'fwkit/mcp';
export default auth({ servers: ['https://login.example'], verify: (token) => token === 'good' ? { subject: 'ada', scopes: ['notes:admin'] } : token === 'member' ? { subject: 'bob', scopes: [] } : null });
`;

export interface GuardedApp {
  readonly files: Sources;
  readonly style: Style;
  /** The file of the area's guard, and of the helper that it may use. */
  readonly guard: string;
  /** The directory of the area: `api/v1/admin`. */
  readonly base: string;
  readonly area: string;
  readonly version: string;
  /** The verbs of its routes. */
  readonly verbs: readonly string[];
  readonly hasSockets: boolean;
  /** The kind of guard for its tools, if it has any. */
  readonly tools: 'middleware' | 'auth' | undefined;
}

/** The file name of a route in `directory`. */
function routeFile(name: string, verb: string, shape: number): string {
  if (shape === 0) return `${name}.${verb}.ts`;
  if (shape === 1) return `${name}/[id].${verb}.ts`;
  return shape === 2 ? `(deep)/${name}/${verb}.ts` : `${name}/[id]/log.${verb}.ts`;
}

export function guardedApp(seed: number): GuardedApp {
  const from = new Random(seed);
  const files: Sources = {};
  const area = from.pick(AREAS);
  const version = from.pick(VERSIONS);
  const style = from.pick(Object.keys(STYLES) as Style[]);
  const base = `api/${version}${area}`;
  const guard = `${base}/_middleware.ts`;
  const lib = `${'../'.repeat(base.split('/').length)}lib/guards.js`;
  files[guard] = layer(STYLES[style], style === 'helper' ? `import { requireAdmin } from '${lib}';\n` : '');
  files['lib/guards.ts'] = HELPER;
  if (style === 'session') files['di/login.ts'] = LOGIN;
  files['di/visitor.ts'] = VISITOR;
  files['middlewares/1.trace.ts'] = layer("  res.header('X-Trace', req.id);\n  return next();");
  files['middlewares/2.csrf.ts'] = CSRF;
  const left = [...NAMES];
  const name = (): string => left.splice(from.between(0, left.length - 1), 1)[0] ?? 'x';
  const verbs = Array.from({ length: 2 + from.between(0, 2) }, () => from.pick(VERBS));
  for (const verb of verbs) files[`${base}/${routeFile(name(), verb, from.between(0, 3))}`] = endpoint(verb);
  for (let i = from.between(0, 2); i >= 0; i -= 1) {
    const verb = from.pick(VERBS);
    files[`api/${version}${routeFile(name(), verb, from.between(0, 1))}`] = endpoint(verb);
  }
  files[`api/${version}login.post.ts`] = endpoint('post', '.meta({ anyOrigin: true })');
  files['web/get.ts'] = endpoint('get');
  files[`web/${area === 'admin' ? 'help' : 'admin'}/about.get.ts`] = endpoint('get');
  const hasSockets = from.chance(50);
  if (hasSockets) {
    files['ws/live/_middleware.ts'] = layer(STYLES.ctx);
    files['ws/live/[room].ts'] = SOCKET;
  }
  const tools = from.chance(40) ? from.pick(['middleware', 'auth'] as const) : undefined;
  if (tools === 'middleware') files['mcp/_middleware.ts'] = layer(STYLES.header);
  if (tools === 'auth') files['mcp/auth.ts'] = AUTH;
  if (tools) files[`mcp/tools/${area}/purge.ts`] = tool(tools === 'auth' ? "scopes: ['notes:admin'], " : '');
  const app = { files, style, guard, base, area, version, verbs, hasSockets, tools };
  files['policy.ts'] = policyOf(app);
  files['fwk.config.ts'] = "import { prove } from '@fwkit/prove';\nexport default { plugins: [prove()] };\n";
  return app;
}

function policyOf({ base, area, version, hasSockets, tools }: GuardedApp): string {
  const rules = [
    `under('${base}/**').passes('trace', '${base}').refuses(anonymous, member).admits(admin)`,
    `mutations().except('api/${version}login', 'nobody is logged in yet').passes('trace', 'csrf').refuses(foreign)`,
    ...(hasSockets ? ["sockets('ws/live/**').passes('ws/live').refuses(anonymous).admits(admin)"] : []),
    ...(tools === 'middleware' ? [`tools('${area}/**').passes('mcp').refuses(anonymous).admits(admin)`] : []),
    ...(tools === 'auth'
      ? [`tools('${area}/**').needs('notes:admin').refuses(anonymous, member).admits(admin)`]
      : []),
    "everything().passes('trace')",
  ];
  return `import { anonymous, everything, mutations, policy, sockets, tools, under, visitor } from '@fwkit/prove';
const member = visitor('a member', { headers: { authorization: 'Bearer member' } });
const admin = visitor('an admin', { headers: { authorization: 'Bearer good' } });
const foreign = visitor('a page of another site', { headers: { authorization: 'Bearer good', origin: 'http://evil.example' } });
export default policy([
${rules.map((rule) => `  ${rule},\n`).join('')}]);
`;
}
