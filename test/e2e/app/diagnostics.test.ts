import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { project } from '../../harness/project.js';
import { begin, call, post, rpc } from '../../harness/rpc.js';
import { connectSocket } from '../../harness/socket.js';
import { route, wsModule } from '../../harness/source.js';

const CONFIG = `
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { defineConfig } from 'fwkit';
import { AroundStage, around } from 'fwkit/http';
import { wrapMcpCalls } from 'fwkit/mcp';

const storage = new AsyncLocalStorage();
(globalThis as any).where = () => storage.getStore() ?? 'nowhere';
const channels: Record<string, (message: any) => string> = {
  'fwk.request.end': ({ raw, route, status, isAborted }) => \`\${raw.url} \${route?.path} \${status} \${isAborted}\`,
  'fwk.request.error': ({ raw, route, error }) => \`\${raw.url} \${route.path} \${error.message}\`,
  'fwk.reload': ({ isServed, files, duration, error }) => \`\${isServed} \${files} \${duration > 0} \${error === undefined}\`,
  'fwk.socket.open': ({ raw, route }) => \`\${raw.url} \${route}\`,
  'fwk.socket.close': ({ route, received, sent, closing, duration }) =>
    \`\${route} \${received} \${sent} \${closing.code} \${duration > 0}\`,
  'fwk.socket.error': ({ route, error }) => \`\${route} \${error.message}\`,
  'fwk.mcp.end': ({ method, target, isError, error, code, sessionId, meta, duration }) =>
    \`\${method} \${target} \${isError} \${error?.message} \${code} \${typeof sessionId} \${meta.traceparent} \${duration > 0}\`,
  'fwk.mcp.session.start': ({ sessionId }) => typeof sessionId,
};
for (const [name, tell] of Object.entries(channels))
  subscribe(name, (message) => console.log(\`[\${name} \${tell(message)}]\`));

export default defineConfig({
  plugins: [
    {
      name: 'context-of-requests',
      apply(hooks) {
        hooks.serve.tapPromise('context-of-requests', async ({ project }) => {
          const place = (name: string) => ({ name, stage: AroundStage.observe });
          around(project, place('context'), (raw, out, next) =>
            storage.run(raw.headers['x-id'] ?? 'none', () => next(raw, out)));
          around(project, place('twice'), (raw, out, next) => { next(raw, out); next(raw, out); });
          around(project, place('broken'), () => { throw new Error('a layer of no use'); });
          wrapMcpCalls(project, ({ target }, run) => storage.run(\`call \${target}\`, run));
        });
      },
    },
  ],
});
`;

const tool = (text: string) => `import { tool } from 'fwkit/mcp';\nexport default tool(${text});\n`;
const made = project({
  'fwk.config.ts': CONFIG,
  'public/a.txt': 'a',
  'api/where.get.ts': route('get', 'async () => { await null; return (globalThis as any).where(); }'),
  'api/where.post.ts': route('post', '({ body }) => (globalThis as any).where() + body'),
  'api/fails.get.ts': route('get', '() => { throw new Error("broken"); }'),
  'ws/rooms/[room].ts': wsModule(`({ send, onMessage }) => {
       send((globalThis as any).where());
       onMessage((text) => { if (text === 'fail') throw new Error('no socket'); send((globalThis as any).where()); });
     }`),
  'mcp/tools/where.ts': tool("{ description: 'a', handler: () => (globalThis as any).where() }"),
  'mcp/tools/fails.ts': tool("{ description: 'a', handler: () => { throw new Error('no tool'); } }"),
  'mcp/tools/tells.ts': tool(
    "{ description: 'a', handler: () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }) }",
  ),
});

const test = suite('diagnostics channels');
const server = await dev(made);
test.after(async () => void (await server.stop()));

const published = async (line: string): Promise<void> => {
  if (!server.output.all.includes(`[${line}]`))
    await server.waitFor(new RegExp(`\\[${line.replace(/[.[\]/$?()]/g, '\\$&')}\\]`));
};

test('diagnostics channels wrap every request, wherever it is answered', async () => {
  const headers = { 'x-id': '7', 'content-type': 'text/plain' };
  assert.is(await (await server.fetch('/api/where', { headers })).json(), '7');
  const posted = await server.fetch('/api/where', { method: 'POST', headers, body: '!' });
  assert.is(await posted.json(), '7!');
  await (await server.fetch('/a.txt')).text();
  await (await server.fetch('/api/fails')).text();
  await published('fwk.request.end /api/where /api/where 200 false');
  await published('fwk.request.end /a.txt undefined 200 false');
  await published('fwk.request.error /api/fails /api/fails broken');
  await published('fwk.request.end /api/fails /api/fails 500 false');
});

test('the request of a socket ends when the handshake is accepted; the socket ends when it closes', async () => {
  const peer = await connectSocket(server.url, '/ws/rooms/a', { headers: { 'x-id': 'ws' } });
  assert.is(await peer.next(), 'ws');
  await published('fwk.request.end /ws/rooms/a /ws/rooms/:room 101 false');
  await published('fwk.socket.open /ws/rooms/a /ws/rooms/:room');
  assert.is(await peer.send('one').next(), 'ws');
  peer.send('fail');
  await peer.closed;
  await published('fwk.socket.error /ws/rooms/:room no socket');
  await published('fwk.socket.close /ws/rooms/:room 2 2 1011 true');
});

test('a tool call', async () => {
  const session = await begin(server.url);
  await published('fwk.mcp.session.start string');
  const params = { name: 'where', _meta: { traceparent: '00-1-2-01' } };
  assert.match((await post(server.url, rpc('tools/call', params), session)).text, 'call where');
  await published('fwk.mcp.end tools/call where false undefined undefined string 00-1-2-01 true');
  await call(server.url, 'fails', {}, session);
  await published('fwk.mcp.end tools/call fails true no tool undefined string undefined true');
  await call(server.url, 'tells', {}, session);
  await published('fwk.mcp.end tools/call tells true undefined undefined string undefined true');
  await call(server.url, 'anything', {}, session);
  await published('fwk.mcp.end tools/call undefined false undefined -32602 string undefined true');
});

test('a reload keeps a socket without a new request, and reports what happened to it', async () => {
  const peer = await connectSocket(server.url, '/ws/rooms/kept');
  assert.is(await peer.next(), 'none');
  made.write('ws/rooms/[room].ts', made.read('ws/rooms/[room].ts').replace('send(', 'send("new " + '));
  assert.is(await peer.next(), 'new nowhere');
  await published('fwk.reload true src/ws/rooms/[room].ts true true');
  made.write('api/where.get.ts', 'export default');
  await published('fwk.reload false src/api/where.get.ts true false');
  peer.close();
  await published('fwk.socket.close /ws/rooms/:room 0 2 1005 true');
  assert.is(server.output.all.split('[fwk.request.end /ws/rooms/kept ').length, 2);
});

test.run();
