import http from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { connect } from '../../harness/http.js';
import { withPatience } from '../../harness/patience.js';
import { production } from '../../harness/production.js';
import type { Files } from '../../harness/project.js';
import { inSample } from '../../harness/sample.js';
import { configFile, di, module } from '../../harness/source.js';

/** Counts the calls: `enter` at the beginning of a handler, the returned function at its end. */
const COUNTS = `export const running = {};
export const seen = {};
export function enter(name) {
  seen[name] = (seen[name] ?? 0) + 1;
  running[name] = (running[name] ?? 0) + 1;
  return () => { running[name] -= 1; };
}
`;

const counting = (names: string, text: string): string =>
  `import { setTimeout as sleep } from 'node:timers/promises';
import { enter } from '../lib/counts.js';
${module(names, text)}`;

/** A handler between \`enter\` and its end, which gets a request-scoped value. */
const shapes: Files = {
  'api/sse-loop.get.ts': counting(
    'sse',
    `export default sse(async ({ send, ctx }) => {
       void ctx.connection;
       const leave = enter('sse-loop');
       try { for (;;) { await send(1); await sleep(20); } } finally { leave(); }
     });`,
  ),
  'api/sse-generator.get.ts': counting(
    'sse',
    `export default sse(async function* ({ ctx, signal }) {
       void ctx.connection;
       const leave = enter('sse-generator');
       try { for (;;) { yield { n: 1 }; await sleep(20, undefined, { signal }); } } finally { leave(); }
     });`,
  ),
  'api/streamed.post.ts': counting(
    'post',
    `export default post(async (req, res, ctx) => {
       void ctx.connection;
       const leave = enter('streamed');
       let size = 0;
       try { for await (const piece of req.body) size += piece.length; } finally { leave(); }
       return { size };
     }).meta({ body: 'stream' });`,
  ),
  'api/json.get.ts': counting(
    'get',
    `export default get(async (req, res, ctx) => {
       void ctx.connection;
       const leave = enter('json');
       try { await sleep(1_000_000, undefined, { signal: req.signal }); } finally { leave(); }
       return {};
     });`,
  ),
  'api/response.get.ts': counting(
    'get',
    `export default get((req, res, ctx) => {
       void ctx.connection;
       const leave = enter('response');
       const body = new ReadableStream({
         async pull(controller) { await sleep(20); controller.enqueue(new TextEncoder().encode('piece')); },
         cancel: leave,
       });
       return new Response(body);
     });`,
  ),
  'api/download.get.ts': counting(
    'get, file',
    `export default get((req, res, ctx) => {
       void ctx.connection;
       const leave = enter('download');
       res.raw.once('close', leave);
       return file('large.bin', { root: '.' });
     });`,
  ),
  'ws/loop.ts': counting(
    'ws',
    `export default ws(async ({ send, ctx }) => {
       void ctx.connection;
       const leave = enter('ws-loop');
       try { for (;;) { await send('1'); await sleep(20); } } finally { leave(); }
     });`,
  ),
  'ws/signal.ts': counting(
    'ws',
    `export default ws(async ({ send, ctx, signal }) => {
       void ctx.connection;
       const leave = enter('ws-signal');
       try { for (;;) { await send('1'); await sleep(20, undefined, { signal }); } } finally { leave(); }
     });`,
  ),
  'mcp/tools/slow.ts': counting(
    'tool',
    `export default tool({ description: 'Runs until it is cancelled.', handler: async (input, ctx, call) => {
       void ctx.connection;
       const leave = enter('tool');
       try { for (let n = 1; ; n++) { await call.progress(n); await sleep(20); } } finally { leave(); }
     } });`,
  )
    .replace("'fwkit'", "'fwkit/mcp'")
    .replace("'../lib", "'../../lib"),
};

const files: Files = {
  ...shapes,
  'lib/counts.ts': COUNTS,
  'di/connection.ts': `import { enter } from '../lib/counts.js';
${di('request', `(_ctx, { onDestroy }) => { onDestroy(enter('connection')); return {}; }`)}`,
  'api/callbacks.get.ts': counting(
    'sse',
    `export default sse(async ({ send }) => {
       const timer = setInterval(async () => { await send(2); }, 5);
       await send(1);
       await new Promise((done) => setTimeout(done, 300));
       clearInterval(timer);
     });`,
  ),
  'api/counts.get.ts': counting('get', 'export default get(() => ({ running, seen }));').replace(
    'enter',
    'running, seen',
  ),
  'large.bin': 'x'.repeat(4_000_000),
  'fwk.config.ts': configFile(`{ http: { timeout: 0 } }`),
};

const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Connects as a client of each shape, waits until its handler runs, and leaves. */
const clients: Readonly<Record<string, (url: string) => Promise<void>>> = {
  'sse-loop': (url) => cut(url, GET('/api/sse-loop'), /data: 1/),
  'sse-generator': (url) => cut(url, GET('/api/sse-generator'), /data: \{"n":1\}/),
  streamed: async (url) => {
    const connection = await connect(url);
    connection.send('POST /api/streamed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nsome');
    await turns();
    connection.close();
  },
  json: async (url) => {
    const connection = await connect(url);
    connection.send(GET('/api/json'));
    await turns();
    connection.close();
  },
  response: (url) => cut(url, GET('/api/response'), /piece/),
  download: (url) => cut(url, GET('/api/download'), /xxx/),
  'ws-loop': (url) => leaveSocket(`${url}/ws/loop`),
  'ws-signal': (url) => leaveSocket(`${url}/ws/signal`),
  tool: leaveTool,
};

const turns = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

async function cut(url: string, head: string, until: RegExp): Promise<void> {
  const connection = await connect(url);
  connection.send(head);
  await connection.read(until);
  connection.close();
}

const leaveSocket = (url: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url.replace('http', 'ws'));
    socket.once('error', reject).once('message', () => {
      socket.terminate();
      resolve();
    });
  });

function leaveTool(url: string): Promise<void> {
  const version = '2026-07-28';
  const meta = 'io.modelcontextprotocol/';
  const _meta = {
    [`${meta}protocolVersion`]: version,
    [`${meta}clientCapabilities`]: {},
    [`${meta}clientInfo`]: { name: 'test', version: '1' },
    progressToken: 1,
  };
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'slow', arguments: {}, _meta },
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': 'tools/call',
    'mcp-name': 'slow',
  };
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/mcp`, { method: 'POST', headers, agent: false }, (response) =>
      response.once('data', () => {
        request.destroy();
        resolve();
      }),
    );
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

const test = suite('disconnected clients');

test('nothing runs after the client has disconnected, and no error is logged', async () => {
  const app = await production(files);
  const counts = async () =>
    (await app.raw('/api/counts')).json as { running: Record<string, number>; seen: Record<string, number> };
  const rounds = inSample(3, 110);
  for (let round = 0; round < rounds; round++)
    await Promise.all(Object.values(clients).map((leave) => leave(app.url)));
  const settled = async (): Promise<void> => {
    for (;;) {
      const { running } = await counts();
      if (Object.values(running).every((count) => count === 0)) return;
      await turns();
    }
  };
  let last: unknown;
  await withPatience(settled(), () => new Error('handlers are still running')).catch(async (failure) => {
    last = await counts();
    throw new Error(`${failure.message}: ${JSON.stringify(last)}`);
  });
  const { seen } = await counts();
  assert.equal(
    Object.fromEntries(Object.keys(clients).map((name) => [name, seen[name]])),
    Object.fromEntries(Object.keys(clients).map((name) => [name, rounds])),
  );
  // The clients of the last round are still connected when the process stops.
  const open = await connect(app.url);
  open.send(GET('/api/sse-generator'));
  await open.read(/data: /);
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/ws/signal`);
  await new Promise((resolve) => socket.once('message', resolve));
  await cut(app.url, GET('/api/callbacks'), /data: 2/);
  await app.stop();
  assert.not.match(app.output.all, /"level":"(?:error|fatal)"|"level":[56]0|AbortError|ConnectionEnded/);
});

test.run();
