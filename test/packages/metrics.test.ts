import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev, ended, fwk, start } from '../harness/fwk.js';
import { project } from '../harness/project.js';
import { begin, call } from '../harness/rpc.js';
import { unsampled } from '../harness/sample.js';
import { MAIN, production } from '../harness/settings.js';
import { connectSocket } from '../harness/socket.js';
import { route, sseRoute, wsModule } from '../harness/source.js';
import { team, workersMain } from '../harness/workers.js';

const config = (options: string) => `import { metrics } from '@fwkit/metrics';
import { defineConfig } from 'fwkit';
export default defineConfig({ plugins: [metrics()], metrics: { port: 0, ${options} } });
`;
const PLACE = /Metrics: (http:[^\s"]+)/;

const metricsOf = async (place: string | undefined): Promise<string> => {
  const answer = await fetch(place ?? '');
  assert.is(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return answer.text();
};
/** The value of a series, by its name and labels. */
const value = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};
const requests = (method: string, path: string, status: string | number) =>
  `http_request_duration_seconds_count{method="${method}",route="${path}",status="${status}"}`;

const test = suite('@fwkit/metrics');

test('requests by route, sockets, streams, MCP, the process, and custom metrics', async () => {
  const made = project(
    {
      'main.ts': MAIN,
      'fwk.config.ts': config('buckets: [0.5, 1]'),
      'public/a.txt': 'a',
      'api/users/[id].get.ts': route('get', '({ params }) => params.id'),
      'api/orders.post.ts': `import { post } from 'fwkit';
import { Counter } from 'prom-client';
const orders = new Counter({ name: 'orders_total', help: 'Orders.' });
export default post(() => { orders.inc(); return 1; });`,
      'api/events.get.ts': sseRoute('({ send }) => { send(1); return () => {}; }'),
      'ws/echo.ts': wsModule('({ send, onMessage }) => { onMessage((text) => { send(text); }); }'),
      'api/old.get.ts': `import { get } from 'fwkit';
export default get(() => 1).meta({ deprecated: { since: '2026-01-31' } });`,
      // The messages that packages of jobs publish.
      'api/job.get.ts': `import { channel } from 'node:diagnostics_channel';
import { get } from 'fwkit';
export default get(() => channel('fwk.job.end').publish({ queue: 'mail', error: undefined, duration: 700 }));`,
      'mcp/tools/add.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'a', handler: () => 1 });`,
    },
    'js',
  );
  const { url, output, stop } = await production(made, 'main.js');
  const [, place = ''] = await output.waitFor(PLACE);
  const ask = async (path: string, init?: RequestInit) => void (await (await fetch(url + path, init)).text());
  await Promise.all(
    ['/api/users/1', '/api/users/2', '/a.txt', '/nowhere', '/wp-login.php'].map((one) => ask(one)),
  );
  await ask('/api/orders', { method: 'POST' });
  await ask('/api/job');
  await ask('/api/old', { headers: { 'user-agent': 'billing/1.2' } });
  const peer = await connectSocket(url, '/ws/echo');
  await peer.send('a').next();
  const stream = await fetch(`${url}/api/events`);
  await stream.body?.getReader().read();
  await call(url, 'add', {}, await begin(url));

  const text = await metricsOf(place);
  const expected: Record<string, number> = {
    [requests('GET', '/api/users/:id', 200)]: 2,
    [requests('GET', '', 200)]: 1,
    [requests('GET', '', 404)]: 2,
    [requests('POST', '/api/orders', 200)]: 1,
    [requests('GET', '/ws/echo', 101)]: 1,
    'http_request_duration_seconds_bucket{le="0.5",method="POST",route="/api/orders",status="200"}': 1,
    orders_total: 1,
    'fwk_deprecated_requests_total{method="GET",route="/api/old",client="billing"}': 1,
    http_requests_in_flight: 1,
    fwk_event_streams: 1,
    fwk_websockets: 1,
    'fwk_websocket_messages_total{direction="in"}': 1,
    'fwk_websocket_messages_total{direction="out"}': 1,
    fwk_mcp_sessions: 1,
    'fwk_job_duration_seconds_bucket{le="0.5",queue="mail",cron="",outcome="ok"}': 0,
    'fwk_job_duration_seconds_bucket{le="1",queue="mail",cron="",outcome="ok"}': 1,
    'fwk_mcp_call_duration_seconds_count{method="tools/call",target="add",outcome="ok"}': 1,
  };
  for (const [series, count] of Object.entries(expected))
    assert.is(value(text, series), count, `${series}\n${text}`);
  for (const name of [
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'process_cpu_seconds_total',
  ])
    assert.ok(value(text, name) !== undefined, name);
  assert.match(text, '# TYPE nodejs_gc_duration_seconds histogram');
  assert.not.match(text, 'wp-login');

  assert.is((await fetch(place.replace('metrics', 'other'))).status, 404);
  assert.is((await fetch(place, { method: 'POST' })).status, 405);
  peer.close();
  await peer.closed;
  await stop();
});

unsampled(test)('any worker answers for all, and counts of a killed worker stay', async () => {
  const app = await team(
    project(
      {
        'main.ts': workersMain(),
        'fwk.config.ts': config(''),
        'api/pid.get.ts': route('get', '() => process.pid'),
      },
      'js',
    ),
  );
  try {
    const [, place] = await app.output.waitFor(PLACE);
    const count = async () => value(await metricsOf(place), requests('GET', '/api/pid', 200));
    const [first = 0] = await app.pids();
    assert.is(await count(), 4);
    // A worker that ends in order hands over its counters; for a killed one the last reading counts.
    app.child.kill('SIGHUP');
    await app.output.waitFor(/Reloaded: 2 new workers are serving/);
    const [victim = 0] = await app.pids();
    assert.is.not(victim, first);
    assert.is(await count(), 8);
    process.kill(victim, 'SIGKILL');
    await app.output.waitFor(new RegExp(`Worker ${victim} ended with SIGKILL`));
    await app.pids();
    assert.is(await count(), 12);
  } finally {
    await app.stop();
  }
});

test('a reload keeps the counters, and a used port is reported', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const files = { 'api/x.get.ts': route('get', '() => 1'), 'fwk.config.ts': config('') };
  const made = project(files);
  const server = await dev(made);
  const [, place] = await server.waitFor(PLACE);
  await (await server.fetch('/api/x')).text();
  let from = server.output.mark();
  made.write('api/x.get.ts', route('get', '() => 2'));
  await server.waitFor(/reloaded/, from);
  await (await server.fetch('/api/x')).text();
  assert.is(value(await metricsOf(place), requests('GET', '/api/x', 200)), 2);
  from = server.output.mark();
  made.write('fwk.config.ts', config('path: "/other"'));
  await server.waitFor(/reloaded/, from);
  assert.match(await metricsOf(place?.replace('metrics', 'other')), requests('GET', '/api/x', 200));
  await server.stop();

  made.write('fwk.config.ts', config('').replace('port: 0', `port: ${port}`));
  const entry = project({ ...files, 'fwk.config.ts': made.read('fwk.config.ts'), 'main.ts': MAIN }, 'js');
  const refused = await ended(start('node', [entry.path('main.ts')], entry.root), 'node main.js');
  taken.close();
  assert.is(refused.status, 1);
  const message = `Port ${port} for metrics is already in use on 127.0.0.1. Stop the other process, or set another port with metrics.port in fwk.config.`;
  assert.match(refused.stderr, message);
  assert.not.match(refused.stderr, '    at ');
});

unsampled(test)('options are checked, and the plugin breaks no law', async () => {
  const wrong = project({
    'fwk.config.ts': config('buckets: [2, 1], prot: 1'),
    'api/x.get.ts': route('get', '() => 1'),
  });
  const { stderr } = await fwk(wrong, 'routes');
  assert.match(
    stderr,
    '"metrics.buckets" must be an array of positive numbers of seconds in ascending order',
  );
  assert.match(stderr, 'has an unknown key "metrics.prot". Did you mean "port"?');
  const laws = project({
    'laws.mjs': `import { metrics } from '@fwkit/metrics';
import { testPlugin } from 'fwkit/testing';
await testPlugin(metrics(), { files: { 'api/x.get.js': "import { get } from 'fwkit'; export default get(() => 1);" } });
console.log('all hold');`,
  });
  const { status, stdout, stderr: message } = await ended(start('node', ['laws.mjs'], laws.root), 'laws');
  assert.is(status, 0, message);
  assert.match(stdout, 'all hold');
});

test.run();
