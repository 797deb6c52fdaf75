import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clients, connected } from '../../harness/mcp-clients.js';
import { production } from '../../harness/production.js';
import { begin, post, rpc, stateless } from '../../harness/rpc.js';

// Lists of tools that fit the caller: the guards of routes decide.

const guard = (code: string) => `import { error, middleware } from 'fwkit';
export default middleware(async (req, res, ctx, next) => {
  ${code}
});`;
const route = (method: string, definition: string, handler: string) =>
  `import { ${method} } from 'fwkit';\nexport default ${method}(${definition}, ${handler});`;
const tool = (name: string, method = 'get') =>
  route(method, `{ tool: { name: '${name}' } }`, `() => '${name} ran'`);

const files = {
  'fwk.config.ts': `import { defineConfig } from 'fwkit';
export default defineConfig({ session: { secrets: ['${'s'.repeat(40)}'] } });`,
  'middlewares/audit.ts': guard(`try {
    const result = await next();
    console.log('audit', req.route.label, 'done');
    return result;
  } finally {
    if (req.route.kind !== 'mcp') console.log('ended', req.route.label);
  }`),
  'di/user.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ name: '' }) });`,
  'api/login.post.ts': route('post', '{}', `(req, res, ctx) => { ctx.user.name = 'ada'; return {}; }`),
  'api/open.get.ts': tool('open'),
  'api/admin/_middleware.ts': guard(`console.log('guard', req.method, req.header('x-role') ?? 'nobody');
  if (req.header('x-role') !== 'admin') throw error(403, 'For admins');
  return next();`),
  'api/admin/users.get.ts': tool('users'),
  'api/admin/orders.get.ts': tool('orders'),
  'api/admin/wipe.del.ts': tool('wipe', 'del'),
  'api/own/_middleware.ts': guard(`if (ctx.user.name !== 'ada') throw error(401, 'Log in');
  return next();`),
  'api/own/cart.get.ts': tool('cart'),
  'api/hidden/_middleware.ts': guard(`throw error(404);`),
  'api/hidden/secret.get.ts': tool('secret'),
  'api/broken/_middleware.ts': guard(`throw new Error('the database is down');`),
  'api/broken/report.get.ts': tool('report'),
  'api/teams/[team]/_middleware.ts': guard(`if (!req.header('x-role')) throw error(401);
  if (req.params.team !== 'red') throw error(404, 'No such team');
  return next();`),
  'api/teams/[team]/members.get.ts': tool('members'),
  'api/deep/_middleware.ts': guard(`const { role } = req.route.meta.access.rules.all;
  if (role !== (req.header('x-role') ?? 'anyone')) throw error(403);
  return next();`),
  ...Object.fromEntries(
    ['reader', 'admin'].map((role) => [
      `api/deep/${role}.get.ts`,
      `${tool(`deep-${role}`)}`.replace(/;$/, `.meta({ access: { rules: { all: { role: '${role}' } } } });`),
    ]),
  ),
  'mcp/tools/own.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'A tool without a route.', handler: () => '' });`,
};

const site = await production(files);
const test = suite('lists of tools');
test.after(async () => site.stop());

const BASE = ['open', 'own', 'report'];

async function listed(headers: Readonly<Record<string, string>>): Promise<unknown> {
  const session = await begin(site.url, headers);
  const [message, more] = stateless('tools/list');
  const inSession = await post(site.url, rpc('tools/list'), { ...headers, ...session });
  const alone = await post(site.url, message, { ...headers, ...more });
  const [first, second] = [inSession, alone].map(({ json }) => (json as List).result);
  assert.equal(namesIn(first), namesIn(second));
  assert.equal([second?.cacheScope, second?.ttlMs], ['private', 0]);
  return namesIn(first);
}

interface List {
  readonly result: {
    readonly tools: { name: string }[];
    readonly cacheScope?: string;
    readonly ttlMs?: number;
  };
}

const namesIn = (result: List['result'] | undefined) => result?.tools.map(({ name }) => name);

test('the guards of a route decide who sees its tool', async () => {
  assert.equal(await listed({}), BASE);
  // Another team may be allowed: the list does not know the argument.
  assert.equal(await listed({ 'x-role': 'reader' }), ['deep-reader', 'members', ...BASE]);
  assert.equal(
    await listed({ 'x-role': 'admin' }),
    ['deep-admin', 'members', ...BASE, 'orders', 'users', 'wipe'].sort(),
  );
});

test('a session of a browser is known to the guards', async () => {
  const login = await fetch(`${site.url}/api/login`, { method: 'POST' });
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  assert.equal(await listed({ cookie }), ['cart', ...BASE]);
});

test('each guard is asked once per method, no handler runs, and nothing is recorded as done', async () => {
  const mark = site.output.mark();
  const [message, headers] = stateless('tools/list');
  await post(site.url, message, { ...headers, 'x-role': 'admin' });
  await site.output.waitFor(/audit MCP/, mark);
  const output = site.output.all.slice(mark);
  assert.equal(output.match(/^guard .*$/gm)?.sort(), ['guard DELETE admin', 'guard GET admin']);
  // The line of an earlier request may arrive after its response.
  assert.equal([...new Set(output.match(/^audit .*$/gm))], ['audit MCP /mcp done']);
  assert.match(output, /^ended GET \/api\/admin\/orders$/m);
  assert.not.match(output, /409|ERROR|WARN/);
});

test('over stdio, nobody is known to the guards', async () => {
  const client = await connected(Object.keys(clients)[0] ?? '', { project: site.project });
  const { tools } = await client.listTools();
  assert.equal(
    tools.map(({ name }) => name),
    BASE,
  );
  await client.close();
});

test.run();
