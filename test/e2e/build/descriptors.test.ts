import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { launch } from '../../harness/fwk.js';
import { request, type Sent } from '../../harness/http.js';
import { installed } from '../../harness/installed.js';
import { nodes } from '../../harness/nodes.js';
import { type Files, project } from '../../harness/project.js';
import { build, MAIN, TSCONFIG } from '../../harness/settings.js';
import { postRoute, route, sseRoute } from '../../harness/source.js';

/** So few that a test can hold them all, and more than the whole SDK of MCP needs at once. */
const LIMIT = 400;

const files: Files = {
  'tsconfig.json': TSCONFIG,
  'main.ts': MAIN,
  'api/hold.post.ts': `import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
${postRoute(`(req) => {
  const held = ((globalThis as { held?: number[] }).held ??= []);
  if (req.query.until === 'now') return held.splice(0).map((one) => closeSync(one)).length;
  try {
    for (;;) held.push(openSync(devNull, 'r'));
  } catch (error) {
    return (error as { code?: string }).code;
  }
}`)}`,
  'lib/rows.ts': `export const rows = ['row'];\n`,
  'api/rows.get.ts': `import { rows } from '../lib/rows.js';\n${route('get', '() => rows')}`,
  'lib/later.ts': `export const rows = ['later'];\n`,
  'api/later.get.ts': route('get', `async () => (await import('../lib/later.js')).rows`),
  // Throws if it cannot read.
  'api/reads.get.ts': `import { readFileSync } from 'node:fs';
const text = readFileSync('package.json', 'utf8');
${route('get', '() => text.length > 0')}`,
  'api/body.post.ts': route('post', '(req) => req.body'),
  'api/events.get.ts': sseRoute('({ send }) => { send(1); }'),
  'web/page.get.ts': route('get, view', `() => view('page', { name: 'Ada' })`),
  'views/page.eta': '<p><%= it.name %></p>',
  'public/plain.txt': 'plain',
  'mcp/tools/add.ts': `import { tool } from 'fwkit/mcp';
export default tool({
  description: 'adds',
  input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  handler: (input) => String(Number((input as { a: number }).a) + 1),
});
`,
};

const form = [
  '--x',
  'Content-Disposition: form-data; name="file"; filename="a.txt"',
  '',
  'text',
  '--x--',
  '',
].join('\r\n');

const call = (id: number, method: string, params: object): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
});

/** Paths, and a part of each response. */
const wanted: readonly (readonly [path: string, answer: RegExp, sent?: Sent])[] = [
  ['/api/rows', /^\["row"\]$/],
  ['/api/later', /^\["later"\]$/],
  ['/api/reads', /^true$/],
  ['/page', /^<p>Ada<\/p>$/],
  ['/plain.txt', /^plain$/],
  ['/api/events', /^data: ?1$/m],
  [
    '/api/body',
    /^\{"a":1\}$/,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync('{"a":1}'),
    },
  ],
  [
    '/api/body',
    /"file"/,
    { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: form },
  ],
  [
    '/mcp',
    /"serverInfo"/,
    call(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }),
  ],
];

/** Asks for all of it during a shortage, and again after it. */
async function isOvercome(program: string, args: readonly string[], root: string): Promise<void> {
  const limited = ['-c', `ulimit -n ${LIMIT}; exec "$0" "$@"`, program, ...args];
  const { child, output, stop } = launch('/bin/sh', limited, root);
  const [, url = ''] = await output.waitFor(/(http:\/\/\S+:\d+)\/$/m);
  // Accepted before: a new connection takes a descriptor.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (at: string, sent: Sent = {}) => request(url, at, { agent, ...sent });
  const hold = async (until: string) => (await ask(`/api/hold?until=${until}`, { method: 'POST' })).json;

  try {
    assert.is(await hold('now'), 0);
    assert.is(await hold('later'), 'EMFILE');
    const refused: string[] = [];
    for (const [at, , sent] of wanted) if ((await ask(at, sent)).status === 500) refused.push(at);
    assert.ok(Number(await hold('now')) > 0);

    const answers: unknown[] = [];
    for (const [at, answer, sent] of wanted) {
      const { status, text } = await ask(at, sent);
      answers.push([at, status, answer.test(text) || text]);
    }
    assert.equal(
      answers,
      wanted.map(([at]) => [at, 200, true]),
    );
    assert.ok(refused.length > 4, `only ${refused.join()} failed meanwhile`);

    const sockets: Socket[] = [];
    const { hostname: host, port } = new URL(url);
    while (!output.all.includes('No file descriptor is left: new connections are closed.')) {
      const socket = connect({ host, port: Number(port), autoSelectFamily: true }).on('error', () => {});
      sockets.push(socket);
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    }
    assert.equal((await ask('/api/rows')).json, ['row']);
    for (const socket of sockets) socket.destroy();
  } catch (failure) {
    child.kill('SIGKILL');
    throw failure;
  } finally {
    agent.destroy();
  }
  await stop();
}

const test = suite('descriptors');

const built = project(files);
await build(built);

for (const [name, node] of nodes()) {
  test(`${name}: in production`, () =>
    isOvercome('/usr/bin/env', ['PORT=0', 'HOST=127.0.0.1', node, 'dist/main.js'], built.root));

  test(`${name}: in development`, () => {
    const bin = path.join(installed(), 'node_modules/fwkit/cli/fwk.js');
    return isOvercome(node, [bin, 'dev', '--port', '0'], project(files).root);
  });
}

test.run();
