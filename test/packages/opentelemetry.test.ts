import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ended, start } from '../harness/fwk.js';
import { tools } from '../harness/packages.js';
import { type Files, project } from '../harness/project.js';
import { begin, post, rpc } from '../harness/rpc.js';
import { unsampled } from '../harness/sample.js';
import { MAIN, production } from '../harness/settings.js';
import { connectSocket } from '../harness/socket.js';
import { route } from '../harness/source.js';
import { type Collector, collector, type Span } from './collector.js';
import { traced as files } from './traced-project.js';

// @fwkit/opentelemetry with the official SDK and a collector; and fwk under the instrumentation of node:http, with it and without.

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const OUTER = 'b7ad6b7169203331';
const traceparent = `00-${TRACE}-${OUTER}-01`;

const config = (plugins: string, more = '') => `import { opentelemetry } from '@fwkit/opentelemetry';
import { defineConfig } from 'fwkit';
import { inside } from './lib/inside.js';
export default defineConfig({ plugins: [${plugins}inside], loadShedding: { maxDelay: 0 }, ${more} });
`;
/** As documented for ES modules: before anything else is loaded. */
const register = `import { createRequire } from 'node:module';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeSDK } from '@opentelemetry/sdk-node';
new NodeSDK({ instrumentations: [new HttpInstrumentation()] }).start();
createRequire(import.meta.url)('node:http');
`;

const made = (more: Files) => {
  const one = project({ ...files, ...more }, 'js');
  const scope = path.join(tools(), 'node_modules/@opentelemetry');
  one.write('node_modules/.keep', '');
  symlinkSync(scope, path.join(one.root, 'node_modules/@opentelemetry'));
  return one;
};

async function traced(more: Files, sink: Collector, options: string[] = []) {
  const variables = [
    `OTEL_EXPORTER_OTLP_ENDPOINT=${sink.url}`,
    ...['OTEL_EXPORTER_OTLP_PROTOCOL=http/json', 'OTEL_SERVICE_NAME=shop', 'OTEL_BSP_SCHEDULE_DELAY=20'],
    ...[
      'OTEL_METRICS_EXPORTER=none',
      'OTEL_LOGS_EXPORTER=none',
      'OTEL_NODE_RESOURCE_DETECTORS=env',
      ...options,
    ],
  ];
  return production(made(more), 'main.js', process.execPath, variables);
}

/** The same requests for every way of tracing. */
async function ask(url: string): Promise<void> {
  const headers = { traceparent, 'content-type': 'text/plain' };
  // The direct ways of reading and writing begin after some requests.
  for (let round = 0; round < 3; round += 1) {
    assert.is(await (await fetch(`${url}/api/users/7?secret=1`, { headers })).text(), '"7"');
    await (await fetch(`${url}/api/takes`, { method: 'POST', headers, body: 'some' })).text();
  }
  assert.is((await fetch(`${url}/api/fails`, { headers })).status, 500);
  await (await fetch(`${url}/nowhere`, { headers })).text();
  assert.is(await (await fetch(`${url}/inside`, { headers })).text(), '"9"');
}

const kinds = { internal: 1, server: 2, client: 3 };
const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name);
const byId = (spans: readonly Span[], id: string | undefined) => spans.find(({ spanId }) => spanId === id);

const test = suite('@fwkit/opentelemetry');
let sink: Collector;
test.before(async () => {
  // The first read of newly installed packages from disk can exceed the limit for a server's start.
  const args = ['--input-type=module', '--eval', "await import('@opentelemetry/sdk-node');"];
  const { status, stderr } = await ended(start('node', args, tools()), 'the first import');
  assert.is(status, 0, stderr);
});
test.before.each(async () => {
  sink = await collector();
});
test.after.each(() => sink.close());

test('spans of requests, handlers, sockets and MCP calls contain the spans of the project', async () => {
  const settings = config('opentelemetry(), ', 'opentelemetry: { handlers: true }');
  const { url, stop } = await traced({ 'fwk.config.ts': settings }, sink);
  await ask(url);
  const peer = await connectSocket(url, '/ws/echo', { headers: { traceparent } });
  await peer.next();
  const session = await begin(url);
  await post(url, rpc('tools/call', { name: 'add', _meta: { traceparent } }), session);
  peer.close();
  await peer.closed;
  await stop();

  // All that waited was sent before the end.
  const { spans } = sink;
  assert.equal(sink.services, new Set(['shop']));
  const users = named(spans, 'GET /api/users/:id');
  assert.is(users.length, 4);
  const [first, , , inner] = users;
  const { kind, parentSpanId, traceId, attributes, status } = first as Span;
  assert.equal([kind, parentSpanId, traceId, status.code ?? 0], [kinds.server, OUTER, TRACE, 0]);
  const { 'http.request.method': method, 'http.route': route, 'url.path': where, ...rest } = attributes;
  assert.equal([method, route, where], ['GET', '/api/users/:id', '/api/users/7']);
  assert.equal(
    [rest['http.response.status_code'], rest['url.scheme'], rest['server.address']],
    [200, 'http', '127.0.0.1'],
  );
  assert.not.match(JSON.stringify(attributes), 'secret');
  for (const name of ['price', 'taken']) {
    const found = named(spans, name);
    assert.is(found.length, name === 'price' ? 4 : 3);
    for (const span of found) assert.match(byId(spans, span.parentSpanId)?.name ?? '', /^handler \/api\//);
  }
  assert.is(byId(spans, named(spans, 'handler /api/takes')[0]?.parentSpanId)?.name, 'POST /api/takes');
  const [failed] = named(spans, 'GET /api/fails');
  assert.equal([failed?.status.code, failed?.attributes['error.type']], [2, 'RangeError']);
  assert.is(failed?.events[0]?.attributes['exception.message'], 'broken');
  // A part of another request.
  assert.is(inner?.kind, kinds.internal);
  const outer = byId(spans, inner?.parentSpanId);
  assert.equal([outer?.name, outer?.attributes['url.path']], ['GET', '/inside']);
  const [socket] = named(spans, 'GET /ws/echo');
  assert.equal([socket?.attributes['http.response.status_code'], socket?.parentSpanId], [101, OUTER]);
  const [call] = named(spans, 'tools/call add');
  assert.equal([call?.kind, call?.traceId, call?.parentSpanId], [kinds.server, TRACE, OUTER]);
  assert.equal(
    [call?.attributes['mcp.method.name'], call?.attributes['gen_ai.tool.name']],
    ['tools/call', 'add'],
  );
  assert.is(named(spans, 'sum')[0]?.parentSpanId, call?.spanId);
  assert.equal(
    spans.filter((span) => span.kind === kinds.client),
    [],
  );
});

for (const [how, plugin] of [
  ['alone', ''],
  ['beside the plugin', 'opentelemetry(), '],
] as const)
  test(`@opentelemetry/instrumentation-http ${how}: each request once, ended with its status`, async () => {
    const more = { 'fwk.config.ts': config(plugin), 'register.mjs': register };
    const { url, child, end } = await traced(more, sink, [
      'NODE_OPTIONS=--import=./register.mjs',
      'OTEL_SEMCONV_STABILITY_OPT_IN=http',
    ]);
    await ask(url);
    await sink.until((spans) => spans.some(({ attributes }) => attributes['url.path'] === '/inside'));
    child.kill('SIGTERM');
    await end;
    const { spans } = sink;
    assert.equal(
      spans.filter(({ kind }) => kind === kinds.client),
      [],
      'nobody has asked another process',
    );
    const servers = spans.filter(({ kind }) => kind === kinds.server);
    assert.is(servers.length, 9);
    for (const span of servers) assert.is(span.parentSpanId, OUTER);
    const statuses = servers.map(
      ({ attributes }) => `${attributes['url.path']} ${attributes['http.response.status_code']}`,
    );
    assert.equal([...new Set(statuses)].sort(), [
      '/api/fails 500',
      '/api/takes 200',
      '/api/users/7 200',
      '/inside 200',
      '/nowhere 404',
    ]);
    for (const name of ['price', 'taken'])
      for (const span of named(spans, name)) assert.is(byId(spans, span.parentSpanId)?.traceId, TRACE);
    if (!plugin) return;
    assert.is(named(spans, 'GET /api/users/:id').filter(({ kind }) => kind === kinds.server).length, 3);
    const [failed] = servers.filter(({ attributes }) => attributes['http.route'] === '/api/fails');
    assert.is(failed?.events[0]?.attributes['exception.message'], 'broken');
  });

unsampled(test)(
  'without an SDK it names the package to install, and it breaks no law of plugins',
  async () => {
    const bare = project(
      {
        'main.ts': MAIN,
        'fwk.config.ts': config('opentelemetry(), ')
          .replace(/.*inside.js.*\n/, '')
          .replace('inside]', ']'),
        'api/x.get.ts': route('get', '() => 1'),
      },
      'js',
    );
    const refused = await ended(start('node', ['main.js'], bare.root), 'node main.js');
    assert.is(refused.status, 1);
    assert.match(
      refused.stderr,
      'opentelemetry() found no SDK to send its traces to. Install @opentelemetry/sdk-node',
    );
    const laws = made({
      'laws.mjs': `import { opentelemetry } from '@fwkit/opentelemetry';
import { testPlugin } from 'fwkit/testing';
process.env.OTEL_SDK_DISABLED = 'true';
await testPlugin(opentelemetry(), {
  config: { opentelemetry: { handlers: true } },
  files: { 'api/x.get.js': "import { get } from 'fwkit'; export default get(() => 1);" },
});
console.log('all hold');`,
    });
    const { status, stdout, stderr } = await ended(start('node', ['laws.mjs'], laws.root), 'laws');
    assert.is(status, 0, stderr);
    assert.match(stdout, 'all hold');
  },
);

test.run();
