import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fwk } from '../harness/fwk.js';
import { type Files, project } from '../harness/project.js';
import { module, route } from '../harness/source.js';
import { endpoint, layer, SOCKET, tool } from './guard-sources.js';
import { config, found, policy } from './proving.js';

// Probing fwkit's own layers, tools in both protocols, visitors identified by ctx, and services.

const PAGE =
  "const page = visitor('another site', { headers: { origin: 'http://evil.example', cookie: 'a=1' } });";
const LOGIN = module('di', "export default di({ lifetime: 'session', value: () => ({}) });");

const test = suite('probe of layers');

test('the built-in CSRF protection refuses requests of other sites, and meta disables it', async () => {
  const files = {
    'policy.ts': policy('mutations().refuses(page)', PAGE),
    'di/login.ts': LOGIN,
    'api/x.post.ts': endpoint('post'),
    'api/y.del.ts': endpoint('del'),
    'api/z.all.ts': endpoint('all'),
  };
  assert.equal(await found(files), []);
  assert.equal(await found({ ...files, 'api/hook.post.ts': endpoint('post', '.meta({ csrf: false })') }), [
    'open POST /api/hook: lets another site in',
  ]);
  assert.equal((await found({ ...files, 'fwk.config.ts': config("disableUnsafe: ['csrf']") })).length, 3);
});

test('sockets refuse pages of other sites without a guard, and other visitors with a guard', async () => {
  const sockets = { 'policy.ts': policy('sockets().refuses(page, anonymous)', PAGE), 'ws/live.ts': SOCKET };
  assert.equal(await found(sockets), ['open WS /ws/live: lets anonymous in']);
  const guarded = { 'ws/_middleware.ts': layer("  throw error(401, 'no');") };
  assert.equal(await found({ ...sockets, ...guarded }), []);
});

test('tools are called, and tools that are routes pass the guards of the routes', async () => {
  const files = {
    'policy.ts': policy(
      "tools('admin/**').refuses(anonymous, member).admits(admin), under('api/**').refuses(anonymous).admits(admin)",
      "const member = visitor('a member', { headers: { authorization: 'Bearer member' } });\nconst admin = visitor('an admin', { headers: { authorization: 'Bearer good' } });",
    ),
    'mcp/tools/admin/purge.ts': tool("scopes: ['admin'], "),
    'mcp/auth.ts': `import { auth } from 'fwkit/mcp';
      export default auth({ servers: ['https://login.example'], verify: (token) => token === 'good' ? { subject: token, scopes: ['admin'] } : token === 'member' ? { subject: token } : null });`,
    'api/_middleware.ts': layer(
      "  if (req.header('authorization') !== 'Bearer good') throw error(401, 'no');\n  return next();",
    ),
    'api/find/[id].get.ts': `import { get } from 'fwkit';
      export default get({ tool: { name: 'find', description: 'Finds.' } }, () => { throw new Error('a handler ran'); });`,
  };
  assert.equal(await found(files), []);
  assert.equal(await found({ ...files, 'mcp/tools/admin/purge.ts': tool() }), [
    'open TOOL adminPurge: lets a member in',
  ]);
});

test('a tool is not listed to a visitor whom its route refuses', async () => {
  const guarded = (code: string) => ({
    'policy.ts': policy('tools().refuses(anonymous)'),
    'api/_middleware.ts': layer(`  ${code}`),
    'api/users.get.ts': `import { get } from 'fwkit';
      export default get({ tool: { name: 'users', description: 'Lists.' } }, () => []);`,
  });
  assert.equal(await found(guarded("throw error(401, 'no');")), []);
  assert.equal(await found(guarded("return void res.redirect('/login');")), [
    'listed TOOL users: is in the list of tools of anonymous, whom it refuses',
  ]);
});

test('the ctx of a visitor replaces the values of the project', async () => {
  const files = {
    'policy.ts': policy(
      "under('api/**').refuses(member).admits(admin)",
      "const member = visitor('a member', { ctx: { visitor: { admin: false } } });\nconst admin = visitor('an admin', { ctx: { visitor: { admin: true } } });",
    ),
    'api/_middleware.ts': layer("  if (!ctx.visitor.admin) throw error(403, 'no');\n  return next();"),
    'api/x.get.ts': endpoint('get'),
    'di/visitor.ts': module(
      'di',
      "export default di({ lifetime: 'request', value: (ctx) => ctx.accounts.first() });",
    ),
    'services/accounts.ts': module('service', "export default service(() => { throw new Error('made'); });"),
  };
  assert.equal(await found(files), []);
  assert.equal(await found({ ...files, 'api/_middleware.ts': layer('  return next();') }), [
    'open GET /api/x: lets a member in',
  ]);
  assert.equal(await found({ ...files, 'api/_middleware.ts': layer("  throw error(403, 'no');") }), [
    'vacuous GET /api/x: does not let an admin in (403)',
  ]);
});

test('a service starts if it, or a module that it imports, fills data that a guard reads', async () => {
  const files = {
    'policy.ts': policy(
      "under('api/docs/[id]').refuses(anonymous, stranger).admits(ada, bob)",
      "const of = (name, key) => visitor(name, { headers: { 'x-key': key } });\nconst ada = of('Ada', 'k-ada'), bob = of('Bob', 'k-bob'), stranger = of('a stranger', 'k-none');",
    ),
    'lib/keys.ts':
      'const keys = new Map();\nexport const add = (key, name) => keys.set(key, name);\nexport const nameOf = (key) => keys.get(key);',
    'lib/seed.ts': "import { add } from './keys.js';\nadd('k-ada', 'Ada');",
    'services/boot.ts': module(
      'service',
      "import '../lib/seed.js';\nexport default service(() => ({ isReady: () => true }));",
    ),
    'services/more.ts': module(
      'service',
      "import { add } from '../lib/keys.js';\nexport default service(() => { add('k-bob', 'Bob'); return {}; });",
    ),
    'api/_middleware.ts': layer(
      "  if (!nameOf(req.header('x-key'))) throw error(401);\n  return next();",
      "import { nameOf } from '../lib/keys.js';\n",
    ),
    'api/docs/[id].get.ts': endpoint('get'),
  };
  assert.equal(await found(files), []);
});

test('a service that a guard uses is started; if it fails, the error names it', async () => {
  const made = project({
    'fwk.config.ts': config(),
    'policy.ts': policy("under('api/**').refuses(anonymous)"),
    'api/_middleware.ts': layer("  if (!ctx.users.knows(req)) throw error(401, 'no');\n  return next();"),
    'api/x.get.ts': endpoint('get'),
    'services/users.ts': module(
      'service',
      'export default service((ctx) => ({ knows: () => ctx.database.ask() }));',
    ),
    'services/database.ts': module(
      'service',
      "export default service(() => { throw new Error('no connection'); });",
    ),
  });
  const { status, stdout, stderr } = await fwk(made, 'prove');
  assert.is(status, 2);
  assert.is(stdout, '');
  assert.match(stderr, 'src/services/database.ts');
  assert.match(stderr, 'no connection');
});

test('a service that the layer of a plugin uses is started, and all requests are repeated', async () => {
  const files = {
    'fwk.config.ts': `import { mapHttpRoutes } from 'fwkit/http';
      import { error } from 'fwkit';
      import { prove } from '@fwkit/prove';
      const guarding = { name: 'guarding', apply(hooks) {
        hooks.resolve.tapPromise({ name: 'guarding', stage: 150 }, async (routes) =>
          mapHttpRoutes(routes, 'guarding', ({ handler }) => (req, res, ctx) => {
            if (!ctx.users.knows(req.header('authorization'))) throw error(401, 'no');
            return handler(req, res, ctx);
          }));
      } };
      export default { plugins: [prove(), guarding] };`,
    'policy.ts': policy(
      "under('api/**').refuses(anonymous).admits(admin)",
      "const admin = visitor('an admin', { headers: { authorization: 'good' } });",
    ),
    'services/users.ts': module(
      'service',
      "export default service(() => ({ knows: (token) => token === 'good' }));",
    ),
    'api/x.get.ts': endpoint('get'),
  };
  assert.equal(await found(files), []);
});

test('routes of other protocols do not run', async () => {
  const made = project({
    'fwk.config.ts':
      "import { cron } from '@fwkit/cron';\nimport { prove } from '@fwkit/prove';\nexport default { plugins: [cron(), prove()] };\n",
    'policy.ts': policy("under('api/**').refuses(anonymous)"),
    'api/_middleware.ts': layer(
      "  await new Promise((resolve) => setTimeout(resolve, 1_200));\n  throw error(401, 'no');",
    ),
    'api/x.get.ts': route('get', '() => 1'),
    'cron/tick.ts':
      "import { appendFileSync } from 'node:fs';\nimport { job } from '@fwkit/cron';\nexport default job('* * * * * *', () => appendFileSync('ran', 'x'));\n",
  });
  const { status, stdout } = await fwk(made, 'prove');
  assert.is(status, 0, stdout);
  assert.not(made.exists('ran'));
});

const AT_MCP: Files = {
  'policy.ts': policy(
    'everything().refuses(anonymous).admits(member)',
    "const member = visitor('a member', { headers: { authorization: 'good' } });",
  ),
  'mcp/_middleware.ts': layer(
    "  if (req.header('authorization') !== 'good') throw error(401, 'no');\n  return next();",
  ),
  'mcp/tools/purge.ts': tool(),
};
/** Whether a visitor got as far as /mcp itself, whatever the layers around it answer. */
const foundAt = async (files: Files): Promise<string[]> => (await found({ ...AT_MCP, ...files })).sort();

test('a guard in front of /mcp refuses and admits visitors', async () => {
  assert.equal(await foundAt({}), []);
  assert.equal(await foundAt({ 'mcp/_middleware.ts': layer('  return next();') }), [
    'open MCP /mcp: lets anonymous in',
    'open TOOL purge: lets anonymous in',
  ]);
});

test('a layer that answers unknown URLs does not count as /mcp', async () => {
  const swallows = layer(`  try {
    return await next();
  } catch (thrown) {
    if (thrown.status !== 404) throw thrown;
    res.status(200);
    return { nothing: req.path };
  }`);
  assert.equal(await foundAt({ 'middlewares/swallow.ts': swallows }), []);
});

test('a layer that answers before the guard is reported', async () => {
  const answers = layer(
    "  if (!req.header('authorization')) return { hello: 'stranger' };\n  return next();",
  );
  assert.equal(
    (await foundAt({ 'middlewares/hello.ts': answers })).map((one) => one.split(':')[0]),
    ['answered MCP /mcp', 'answered TOOL purge'],
  );
});

test.run();
