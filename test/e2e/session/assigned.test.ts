import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Visitor } from '../../harness/cookie-client.js';
import { production } from '../../harness/production.js';
import type { Files } from '../../harness/project.js';
import { begin, call } from '../../harness/rpc.js';
import { served } from '../../harness/served.js';
import { di, middleware, module, postRoute, route, service } from '../../harness/source.js';

const tool = (handler: string) => `import { tool } from 'fwkit/mcp';
export default tool({ description: 'One.', input: { type: 'object', properties: { name: { type: 'string' } } }, handler: ${handler} });
`;
/** Assigns a value and answers with the error. */
const trying = (assignment: string) =>
  `(req, res, ctx) => { try { ${assignment} } catch (thrown) { return thrown.message; } return 'assigned'; }`;

const files: Files = {
  'di/current-user.ts': di('session', '() => null'),
  'di/theme.ts': di('session', `'light'`),
  'di/visits.ts': di('session', '0'),
  'di/cart.ts': di('session', '{ items: [] }'),
  'di/itself.ts': di('session', `(ctx) => { ctx.itself = 1; return 2; }`),
  'di/greeting.ts': di('request', `(ctx) => 'Hello, ' + (ctx.currentUser?.name ?? 'stranger')`),
  'services/users.ts': service(`() => ({ ann: { name: 'Ann', roles: [] } })`),
  'services/broken.ts': service(`(ctx) => ({ assign() { ctx.users = 1; }, rename() { ctx.usrs = 1; } })`),
  'lib/empty.ts': `export const EMPTY = { items: [] };\n`,
  'middlewares/1.count.ts': middleware(`(req, res, ctx, next) => {
       if (req.query.count !== undefined) ctx.visits += 1;
       return next();
     }`),
  'api/me.ts': route(
    '(req, res, ctx) => ({ user: ctx.currentUser, theme: ctx.theme, visits: ctx.visits, greeting: ctx.greeting })',
  ),
  'api/login.ts': module(
    'post, renewSession',
    `export default post((req, res, ctx) => {
       renewSession(req);
       ctx.currentUser = ctx.users.ann;
       return [ctx.currentUser === ctx.users.ann, ctx.greeting];
     });`,
  ),
  'api/logout.ts': route('post', '(req, res, ctx) => { ctx.currentUser = null; }'),
  'api/promote.ts': postRoute(
    `(req, res, ctx) => { ctx.currentUser.roles.push('admin'); return ctx.users.ann.roles; }`,
  ),
  'api/theme/[name].ts': route('post', '(req, res, ctx) => { ctx.theme = req.params.name; }'),
  'api/clear.ts': `import { EMPTY } from '../lib/empty.js';\n${postRoute(`(req, res, ctx) => { ctx.cart = EMPTY; return EMPTY.items; }`)}`,
  'api/fill.ts': postRoute(
    `(req, res, ctx) => { const cart = { items: [] }; ctx.cart = cart; cart.items.push('pen'); }`,
  ),
  'api/add.ts': route('post', `(req, res, ctx) => { ctx.cart.items.push('ink'); return ctx.cart.items; }`),
  'api/bad/[what].ts': postRoute(
    trying(`const itself = {}; itself.itself = itself;
      ctx.cart = { map: new Map(), function: () => 1, undefined: undefined, nan: NaN, itself, deep: { at: [new Date()] } }[req.params.what];`),
  ),
  'api/assign/[key].ts': route('post', trying('ctx[req.params.key] = 1;')),
  'api/service/[method].ts': route('post', trying('ctx.broken[req.params.method]();')),
  'api/itself.ts': route('get', trying('ctx.itself;')),
  'api/late.ts': `let kept;\n${postRoute(`(req, res, ctx) => {
       if (!kept) { kept = ctx; return 'kept'; }
       try { kept.theme = 'late'; } catch (thrown) { return thrown.message; }
     }`)}`,
  'mcp/tools/enter.ts': tool(
    '({ name }, ctx) => { ctx.users.entered = { name }; ctx.currentUser = ctx.users.entered; ctx.users.entered.late = 1; }',
  ),
  'mcp/tools/who.ts': tool(
    '(_, ctx) => ({ user: ctx.currentUser, own: ctx.currentUser !== ctx.users.entered })',
  ),
  'mcp/tools/wrong.ts': tool('(_, ctx) => { ctx.currentUser = new Map(); }'),
};

served(files, (test, site) => {
  const visitor = () => new Visitor(site.dev.url);
  const responseOf = async (path: string) => (await visitor().post(path)).json;

  test('null, strings and numbers are values, and reading them sets no cookie', async () => {
    const answer = await visitor().visit('/api/me');
    assert.equal(answer.json, { user: null, theme: 'light', visits: 0, greeting: 'Hello, stranger' });
    assert.is(answer.headers['set-cookie'], undefined);
  });

  test('an assigned value is available immediately and on the next visit', async () => {
    const ann = visitor();
    assert.equal((await ann.post('/api/login')).json, [true, 'Hello, Ann']);
    const me = (await ann.json('/api/me')) as { user: unknown; greeting: unknown };
    assert.equal([me.user, me.greeting], [{ name: 'Ann', roles: [] }, 'Hello, Ann']);
    assert.equal(((await visitor().json('/api/me')) as { user: unknown }).user, null);
    await ann.post('/api/logout');
    assert.equal(((await ann.json('/api/me')) as { user: unknown }).user, null);
  });

  test('the next visit gets a copy that belongs to the visitor', async () => {
    const ann = visitor();
    await ann.post('/api/login');
    assert.equal((await ann.post('/api/promote')).json, []);
    assert.equal(((await ann.json('/api/me')) as { user: { roles: unknown } }).user.roles, ['admin']);
    const ben = visitor();
    assert.equal((await ben.post('/api/clear')).json, []);
    assert.equal((await ben.post('/api/add')).json, ['ink']);
    assert.equal((await visitor().post('/api/clear')).json, []);
  });

  test('changes to an object after its assignment are stored, too', async () => {
    const ann = visitor();
    await ann.post('/api/fill');
    assert.equal((await ann.post('/api/add')).json, ['pen', 'ink']);
  });

  test('numbers count, also in middlewares', async () => {
    const ann = visitor();
    await ann.visit('/api/me?count');
    await ann.visit('/api/me?count');
    assert.is(((await ann.json('/api/me')) as { visits: number }).visits, 2);
  });

  test('an assigned value is stored only if it differs', async () => {
    const ann = visitor();
    const cookies = async (name: string) =>
      (await ann.post(`/api/theme/${name}`)).headers['set-cookie']?.length;
    // The first value may be another at the next visit.
    assert.is(await cookies('light'), 1);
    assert.is(await cookies('light'), undefined);
    assert.is(await cookies('dark'), 1);
    assert.is(((await ann.json('/api/me')) as { theme: string }).theme, 'dark');
  });

  for (const [what, sentence] of [
    ['map', 'ctx.cart is a Map, which a session cannot store'],
    ['function', 'ctx.cart is a function, which'],
    ['undefined', 'ctx.cart is undefined, which'],
    ['nan', 'ctx.cart is NaN, which'],
    ['itself', 'ctx.cart.itself contains itself'],
    ['deep', 'ctx.cart.at[0] is a Date, which'],
  ] as const)
    test(`rejects a value that JSON cannot represent: ${what}`, async () => {
      assert.match(String(await responseOf(`/api/bad/${what}`)), sentence);
    });

  test('assigning anything else is an error with a message', async () => {
    const rest = 'and only values with the lifetime "session" can be';
    const file = (name: string) => site.project.label(name);
    assert.is(
      await responseOf('/api/assign/users'),
      `ctx.users cannot be assigned: ${file('services/users.ts')} provides a singleton value, ${rest}`,
    );
    assert.is(
      await responseOf('/api/assign/greeting'),
      `ctx.greeting cannot be assigned: ${file('di/greeting.ts')} provides a request value, ${rest}`,
    );
    assert.is(
      await responseOf('/api/assign/logger'),
      `ctx.logger cannot be assigned: it is the framework’s own, ${rest}`,
    );
    assert.match(String(await responseOf('/api/assign/usrs')), /Cannot add property usrs/);
    assert.match(String(await responseOf('/api/service/assign')), /^ctx\.users cannot be assigned: /);
    assert.match(String(await responseOf('/api/service/rename')), /Cannot add property usrs/);
    assert.match(
      String(await visitor().json('/api/itself')),
      /di\/itself\.[jt]s assigns ctx\.itself while it creates the value: return it instead/,
    );
  });

  test('assigning a value after the request is an error', async () => {
    assert.is(await responseOf('/api/late'), 'kept');
    assert.is(await responseOf('/api/late'), 'ctx.theme was assigned after its request had ended');
  });

  test('the session of an MCP client follows the same rules', async () => {
    const { url } = site.dev;
    const [ann, ben] = [await begin(url), await begin(url)];
    await call(url, 'enter', { name: 'ann' }, ann);
    assert.equal(JSON.parse(await call(url, 'who', {}, ann)), { user: { name: 'ann', late: 1 }, own: true });
    assert.is(JSON.parse(await call(url, 'who', {}, ben)).user, null);
    assert.match(await call(url, 'wrong', {}, ben), 'ctx.currentUser is a Map, which a session cannot store');
  });
});

const test = suite('no request-scoped values');

test('a shared ctx throws the same error', async () => {
  const app = await production({
    'services/users.ts': service('() => 1'),
    'api/assign/[key].ts': route('post', trying('ctx[req.params.key] = 1;')),
  });
  const responseOf = async (key: string) =>
    String((await app.raw(`/api/assign/${key}`, { method: 'POST' })).json);
  assert.match(
    await responseOf('users'),
    /^ctx\.users cannot be assigned: services\/users\.js provides a singleton value/,
  );
  assert.match(await responseOf('logger'), /^ctx\.logger cannot be assigned: /);
  assert.match(await responseOf('usrs'), /Cannot add property usrs/);
  await app.stop();
});

test.run();
