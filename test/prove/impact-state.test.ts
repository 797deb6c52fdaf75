import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repository, told } from './impact-repository.js';

// What one request leaves for another: in a session, or in what a module keeps.

const route = (verb: string, body: string, imports = ''): string =>
  `import { ${verb} } from 'fwkit';\n${imports}export default ${verb}((req: any, res, ctx: any) => {\n${body}\n});\n`;

const repo = repository({
  'di/login.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ id: 0, trail: [] as string[] }) });
`,
  'di/theme.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: { name: 'light' } });
`,
  'di/visitor.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'request', value: ({ login }: any) => ({ id: login.id }) });
`,
  'services/accounts.ts': `import { service } from 'fwkit';
export default service(() => ({
  find: (name: string) => name === 'Ada' ? { id: 1, name } : undefined,
  greet: (name: string) => 'Hello ' + name,
}));
`,
  'api/login.post.ts': route(
    'post',
    `  const account = ctx.accounts.find(req.body.name);
  const why = { problem: "There is nobody of this name." };
  if (!account) { res.status(401); return req.body.why ? why : 'unknown'; }
  ctx.login.id = account.id;
  return ctx.accounts.greet(account.name);`,
  ),
  'api/logout.post.ts': route(
    'post',
    "  endSession(req);\n  return 'left';",
    "import { endSession } from 'fwkit';\n",
  ),
  'api/trail.post.ts': route(
    'post',
    "  const { trail } = ctx.login;\n  trail.push(req.body.place);\n  return 'kept';",
  ),
  'api/who.get.ts': route('get', '  return ctx.visitor;'),
  'api/trail.get.ts': route('get', '  return ctx.login.trail;'),
  'api/theme.get.ts': route('get', '  return ctx.theme.name;'),
  'api/none.get.ts': route('get', "  return 'nothing';"),
  'api/area/_middleware.ts': `import { error, middleware } from 'fwkit';
export default middleware(async (req, res, ctx: any, next) => {
  if (!req.header('x-area')) throw error(403, { message: 'Not here.' });
  const answer = await next();
  res.header('x-passed', 'yes');
  return answer;
});
`,
  'api/area/theme.put.ts': route('put', "  ctx.theme.name = req.body.name;\n  return 'kept';"),
});

const linked = repository({
  'di/login.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ id: 0, trail: [] as string[] }) });
`,
  'di/theme.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: { name: 'light' } });
`,
  'lib/attempts.ts': `export const attempts = new Map<string, number>();
export const forget = () => { attempts.clear(); };
`,
  'api/forget.post.ts': route(
    'post',
    '  return 1;',
    "import { forget } from '../lib/attempts.js';\nvoid forget;\n",
  ),
  'api/attempt.post.ts': route(
    'post',
    "  if (attempts.size > 3) return 'no';\n  ctx.login.trail = ['in'];\n  return 'kept';",
    "import { attempts } from '../lib/attempts.js';\n",
  ),
  'api/copy.put.ts': route('put', "  ctx.theme.name = String(ctx.login.id);\n  return 'kept';"),
  'api/theme.get.ts': route('get', '  return ctx.theme.name;'),
  'api/trail.get.ts': route('get', '  return ctx.login.trail;'),
  'api/enter.post.ts': route('post', '  ctx.login.id = req.body.id;\n  return 1;'),
});

const without = async (name: string): Promise<string[]> => told(await repo.after({ [name]: undefined }));

const reached = async (name: string, from: string | RegExp, to: string, of = repo): Promise<string[]> =>
  told(await of.after(of.edited(name, from, to)));

const LOGIN = ['POST /api/login'];
const READERS = ['GET /api/who', 'POST /api/login'];

const test = suite('impact of what is kept');

test('what login keeps reaches those who read it, what it answers does not', async () => {
  assert.equal(await reached('api/login.post.ts', 'account.id', 'account.id + 1'), READERS);
  assert.equal(await reached('api/login.post.ts', '!account', '!!account'), READERS);
  assert.equal(await reached('services/accounts.ts', "=== 'Ada'", "=== 'Eve'"), READERS);
  assert.equal(await reached('services/accounts.ts', 'Hello', 'Bye'), LOGIN);
  assert.equal(await reached('api/login.post.ts', "'unknown'", "'nobody'"), LOGIN);
  assert.equal(await reached('api/login.post.ts', 'nobody of', 'no one of'), LOGIN);
  assert.equal(await reached('api/login.post.ts', '  ctx.login.id = account.id;\n', ''), READERS);
});

test('one member of a session value is told from another, and logout reaches all', async () => {
  assert.equal(await reached('api/trail.post.ts', 'req.body.place', "'home'"), [
    'GET /api/trail',
    'POST /api/trail',
  ]);
  assert.equal(await reached('api/logout.post.ts', 'endSession(req);', ''), [
    'GET /api/theme',
    'GET /api/trail',
    'GET /api/who',
    'POST /api/logout',
    'POST /api/trail',
  ]);
});

test('a guard reaches what is written behind it, what it does afterwards does not', async () => {
  const guard = 'api/area/_middleware.ts';
  assert.equal(await reached(guard, "'x-area'", "'x-other'"), ['GET /api/theme', 'PUT /api/area/theme']);
  assert.equal(await reached(guard, "'yes'", "'no'"), ['PUT /api/area/theme']);
  assert.equal(await reached(guard, 'Not here', 'Nowhere'), ['PUT /api/area/theme']);
});

test('a guard that is gone reaches what is written behind it', async () => {
  assert.equal(await without('api/area/_middleware.ts'), ['GET /api/theme', 'PUT /api/area/theme']);
});

test('what a module or another session value holds decides what is written, too', async () => {
  assert.equal(await reached('lib/attempts.ts', 'attempts.clear()', 'attempts.size', linked), [
    'GET /api/trail',
    'POST /api/attempt',
    'POST /api/forget',
  ]);
  assert.equal(await reached('api/enter.post.ts', 'req.body.id', '7', linked), [
    'GET /api/theme',
    'POST /api/enter',
    'PUT /api/copy',
  ]);
});

test('a named file counts as a whole', async () => {
  const impact = await repo.report({ files: ['src/api/login.post.ts'] });
  assert.equal(told(impact), READERS);
  assert.equal(impact.routes[0]?.by, ['src/api/who.get.ts', 'src/di/visitor.ts', 'src/api/login.post.ts']);
});

test.run();
