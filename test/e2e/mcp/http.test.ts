import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { connect, request } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { begin, call, initialize, post, rpc } from '../../harness/rpc.js';

const files = {
  'fwk.config.ts': `import { defineConfig } from 'fwkit';
// Only the endpoint's own check is tested, not the dev server's.
export default defineConfig({ http: { devHosts: ['*'] }, mcp: { hosts: ['shop.example'], name: 'shop', instructions: 'Be kind.' } });`,
  'middlewares/trace.ts': `import { middleware } from 'fwkit';
export default middleware((req, res, ctx, next) => {
  res.header('X-Trace', req.route.label);
  return next();
});`,
  'mcp/_middleware.ts': `import { middleware } from 'fwkit';
export default middleware(async (req, res, ctx, next) => {
  res.header('X-Inner', 'mcp');
  return next();
});`,
  'mcp/tools/echo.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'Says it again.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  handler: ({ text }) => text,
});`,
  'mcp/tools/wait.ts': `import { tool } from 'fwkit/mcp';
const waiting: (() => void)[] = [];
export default tool({
  description: 'Waits until it is called with go.',
  input: { type: 'object', properties: { go: { type: 'boolean' } } },
  handler: async ({ go }) => {
    if (go) for (const one of waiting.splice(0)) one();
    else {
      console.log('waits');
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    return 'gone on';
  },
});`,
};

const test = suite<Record<string, never>>('the endpoint', {});
const made = project(files);

const server = await dev(made);
const url = server.url;
test.after(async () => void (await server.stop()));

test('rejects a Host or an Origin of another site', async () => {
  const others = [
    { host: 'evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost.evil.example' },
  ];
  for (const headers of others) {
    const answer = await post(url, initialize, headers);
    assert.is(answer.status, 403, JSON.stringify(headers));
    assert.match(answer.text, /mcp\.hosts in fwk\.config/);
  }
});

test('rejects it before the body has arrived', async () => {
  const connection = await connect(url);
  connection.send(
    'POST /mcp HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n',
  );
  assert.match(await connection.read(/mcp\.hosts/), /^HTTP\/1\.1 403 /);
});

test('accepts this machine and the configured hosts, also as Origin', async () => {
  for (const headers of [
    { host: 'localhost:1' },
    { host: '127.0.0.1' },
    { host: '[::1]:80' },
    { host: 'shop.example' },
    { origin: 'http://localhost:6274' },
    { origin: 'https://shop.example' },
  ]) {
    const answer = await post(url, initialize, headers);
    assert.is(answer.status, 200, JSON.stringify(headers));
    assert.is(
      answer.headers['access-control-allow-origin'],
      'origin' in headers ? headers.origin : undefined,
    );
  }
  const preflight = await request(url, '/mcp', {
    method: 'OPTIONS',
    headers: { origin: 'http://localhost:6274' },
  });
  assert.is(preflight.status, 204);
  assert.match(String(preflight.headers['access-control-allow-headers']), /Mcp-Session-Id/);
});

test('identifies itself', async () => {
  const { result } = (await post(url, initialize)).json as { result: Record<string, unknown> };
  assert.is((result.serverInfo as { name: string }).name, 'shop');
  assert.is(result.instructions, 'Be kind.');
  assert.is(result.protocolVersion, '2025-11-25');
});

test('global and own middlewares run around the endpoint', async () => {
  const { headers } = await post(url, initialize);
  assert.equal([headers['x-trace'], headers['x-inner']], ['MCP /mcp', 'mcp']);
});

test('an unknown or ended session is 404, and a missing one is 400', async () => {
  const list = rpc('tools/list');
  assert.is((await post(url, list, { 'mcp-session-id': 'unknown' })).status, 404);
  assert.is((await post(url, list)).status, 400);
  const session = await begin(url);
  assert.is((await post(url, list, session)).status, 200);
  assert.is((await request(url, '/mcp', { method: 'DELETE', headers: session })).status, 204);
  assert.is((await post(url, list, session)).status, 404);
  assert.is(
    (await request(url, '/mcp', { headers: { accept: 'text/event-stream', ...session } })).status,
    404,
  );
});

test('a large message is 413, and each kind of invalid message has its code', async () => {
  const large = 'x'.repeat(5 * 1024 * 1024);
  const session = await begin(url);
  const big = rpc('tools/call', { name: 'echo', arguments: { text: large } });
  assert.is((await post(url, big, session)).status, 413);
  const chunked = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...session },
    body: new Blob([JSON.stringify(big)]).stream(),
    duplex: 'half',
  } as RequestInit);
  assert.is(chunked.status, 413);
  assert.is((await post(url, '{', session)).status, 400);
  assert.match((await post(url, '{', session)).text, /-32700/);
  assert.is((await post(url, { hello: 'world' }, session)).status, 400);
  assert.is((await post(url, rpc('tools/list'), { ...session, 'content-type': 'text/plain' })).status, 415);
  assert.is(
    (await post(url, rpc('tools/list'), { ...session, 'mcp-protocol-version': '1999-01-01' })).status,
    400,
  );
  assert.is((await request(url, '/mcp', { method: 'PUT' })).status, 405);
  assert.is(await call(url, 'echo', { text: 'still here' }, session), 'still here');
});

test('rejects a request with an ID in use, and answers the first one', async () => {
  const session = await begin(url);
  const wait = rpc('tools/call', { name: 'wait' }, 7);
  const mark = server.output.all.length;
  const first = post(url, wait, session);
  await server.waitFor(/waits/, mark);
  const second = await post(url, rpc('ping', {}, 7), session);
  assert.is(second.status, 400);
  assert.match(second.text, /"id":null.*The id 7 is already in use/);
  // The text "7" is another id (JSON-RPC 2.0 §4).
  assert.is((await post(url, { ...rpc('ping'), id: '7' }, session)).status, 200);
  await post(url, rpc('tools/call', { name: 'wait', arguments: { go: true } }, 9), session);
  assert.match((await first).text, /"id":7.*gone on|gone on.*"id":7/);
  assert.is((await post(url, rpc('ping', {}, 7), session)).status, 200);
});

test.run();
