import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { begin, call, initialize, post, rpc, stateless } from '../../harness/rpc.js';

const middleware = (name: string) => `import { middleware } from 'fwkit';
export default middleware(async (req, res, ctx, next) => {
  res.header('x-${name}', ctx.user?.name ?? 'guest');
  return next();
});`;

const files = {
  'di/user.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => null as { name: string } | null });`,
  'middlewares/who.ts': middleware('all'),
  'middlewares/count.ts': `import { middleware } from 'fwkit';
export default middleware(async (_req, _res, ctx, next) => {
  ctx.visits.count += 1;
  const answer = await next();
  ctx.visits.count += 1;
  return answer;
});`,
  'di/visits.ts': `import { di } from 'fwkit';
export default di({ lifetime: 'session', value: () => ({ count: 0 }) });`,
  'mcp/_middleware.ts': middleware('mcp'),
  'mcp/tools/login.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Logs in.', handler: (_input, ctx) => { ctx.user = { name: 'Eve' }; return 'done'; } });`,
  'mcp/tools/who.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Tells who asks.', handler: (_input, ctx) => ctx.user?.name ?? 'nobody' });`,
  'mcp/tools/ping.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Reads nothing.', handler: () => 'pong' });`,
  'api/login.post.ts': `import { post } from 'fwkit';
export default post((_req, _res, ctx) => { ctx.user = { name: 'Ada' }; return 'in'; });`,
  'api/me.get.ts': `import { get } from 'fwkit';
export default get({ tool: { name: 'me' } }, (_req, _res, ctx) => ctx.user?.name ?? 'nobody');`,
};

const test = suite('visitors of /mcp');
const server = await dev(project(files));
test.after(async () => void (await server.stop()));

const seenBy = ({ headers }: { headers: Record<string, unknown> }) => [headers['x-all'], headers['x-mcp']];

test('a client without a session is a guest to middlewares, and tools answer it', async () => {
  const [message, headers] = stateless('tools/call', { name: 'ping' });
  for (const more of [{}, { cookie: 'session=forged.id' }, { 'mcp-session-id': 'unknown' }]) {
    const answer = await post(server.url, message, { ...headers, ...more });
    assert.is(answer.status, 200, answer.text);
    assert.match(answer.text, /pong/);
    assert.equal(seenBy(answer), ['guest', 'guest']);
  }
  const begun = await post(server.url, initialize);
  assert.is(begun.status, 200);
  assert.is(begun.headers['set-cookie'], undefined);
});

test('a tool that needs a session value fails with a message if its client has no session', async () => {
  for (const name of ['who', 'login']) {
    const [message, headers] = stateless('tools/call', { name });
    const { result } = (await post(server.url, message, headers)).json as { result: { isError: boolean } };
    assert.is(result.isError, true);
  }
  await server.waitFor(/ctx\.user is a session value, and this MCP client has no session/);
});

test('a client with an MCP session has the values of that session', async () => {
  const session = await begin(server.url);
  assert.is(await call(server.url, 'login', {}, session), 'done');
  const answer = await post(server.url, rpc('tools/call', { name: 'who' }), session);
  assert.match(answer.text, /Eve/);
  assert.equal(seenBy(answer), ['Eve', 'Eve']);
});

test('a client with the cookie of a visitor is that visitor for middlewares, tools and routes', async () => {
  const login = await server.fetch('/api/login', { method: 'POST' });
  const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const [message, headers] = stateless('tools/call', { name: 'who' });
  const answer = await post(server.url, message, { ...headers, cookie });
  assert.match(answer.text, /Ada/);
  assert.equal(seenBy(answer), ['Ada', 'Ada']);
  const session = await begin(server.url, { cookie });
  for (const name of ['who', 'me'])
    assert.match(await call(server.url, name, {}, { ...session, cookie }), /^"?Ada"?$/, name);
});

test.run();
