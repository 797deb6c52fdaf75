import https from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connection, connect } from '../../harness/http.js';
import { nodes } from '../../harness/nodes.js';
import { isInstalled, proxy } from '../../harness/proxies.js';
import { unsampled } from '../../harness/sample.js';
import { connectSocket } from '../../harness/socket.js';
import { configFile, module, sseRoute } from '../../harness/source.js';
import { made, reload, type Team, team } from '../../harness/workers.js';

const CONNECTIONS = 40;
/** Milliseconds: far more than a reload takes, so nothing ends because its time is over. */
const KEPT_MS = 60_000;
/** Milliseconds after which a new connection without a request gets a 408. */
const HEADERS_MS = 400;

const files = {
  'api/ticks.ts': sseRoute(`({ send, lastEventId = '0' }) => {
    let id = Number(lastEventId);
    const timer = setInterval(() => send(process.pid, { id: String(++id) }), 3);
    return () => clearInterval(timer);
  }`),
  'api/plain-ticks.ts': sseRoute(`({ send }) => {
    const timer = setInterval(() => send('tick'), 3);
    return () => clearInterval(timer);
  }`),
  'ws/count.ts': module(
    'ws',
    `const validate = (value) => ({ value: { count: value.count ?? 0 } });
     const state = { '~standard': { version: 1, vendor: 'test', validate } };
     export default ws({ state }, ({ state, send, onMessage }) => onMessage(() => send([++state.count, process.pid])));`,
  ),
};

const app = (http = '', node?: string) =>
  team(
    made({
      ...files,
      'fwk.config.ts': configFile(
        `{ http: { keepAliveTimeout: ${KEPT_MS}, ${http} }, log: { access: true } }`,
      ),
    }),
    'main.js',
    [],
    node,
  );

/** The pid of the process that answers the next request on a connection. */
async function pid(connection: Connection): Promise<number> {
  connection.send('GET /api/pid HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const answer = await connection.read(/\r\n\r\n\d+$/);
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: keep-alive/);
  return Number(/\d+$/.exec(answer)?.[0]);
}

const pidsOf = async (connections: readonly Connection[]) => new Set(await Promise.all(connections.map(pid)));

/** Resolves when all processes in `pids` have ended. */
const ended = ({ output }: Team, pids: Iterable<number>) =>
  Promise.all([...pids].map((one) => output.waitFor(new RegExp(`\\[destroyed ${one}\\]`))));

/** The status of the response to a GET request. */
const statusOf = (url: string, agent: https.Agent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const asked = https.get(url, { agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    asked.once('error', reject);
  });

const open = (count: number, { url }: Team) => Promise.all(Array.from({ length: count }, () => connect(url)));

for (const [name, node] of nodes()) {
  const test = suite<{ app: Team }>(`workers handover, ${name}`);
  test.before(async (context) => {
    context.app = await app('', node);
  });
  test.after(async ({ app }) => {
    const { status, stderr } = await app.stop();
    assert.is(status, 0);
    assert.is(stderr, '');
  });

  test('idle connections, used or new, move to the new workers, and the old ones end', async ({ app }) => {
    const used = await open(CONNECTIONS, app);
    let pids = await pidsOf(used);
    const fresh = await open(CONNECTIONS, app);
    for (let round = 0; round < 3; round += 1) {
      const from = app.output.mark();
      const begun = performance.now();
      await reload(app);
      await ended(app, pids);
      assert.ok(performance.now() - begun < KEPT_MS / 4, `${performance.now() - begun} ms`);
      await app.output.waitFor(/"Handed over 80 idle connections in \d+\.\d s\."/, from);
      const next = await pidsOf(used);
      assert.not.ok([...next].some((one) => pids.has(one)));
      pids = next;
    }
    assert.is((await pidsOf(fresh)).size, 2);
    for (const connection of [...used, ...fresh]) connection.close();
  });

  test('a connection moves when its running request or partial head is answered', async ({ app }) => {
    const [slow, half] = await open(2, app);
    assert.ok(slow && half);
    slow.send('GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [, old = ''] = await app.output.waitFor(/\[slow began (\d+)\]/);
    half.send('GET /api/pid HTTP/1.1\r\nHo');
    await pidsOf(await open(1, app));
    await reload(app);
    half.send('st: localhost\r\n\r\n');
    const halfPid = Number(/\d+$/.exec(await half.read(/\r\n\r\n\d+$/))?.[0]);
    app.made.write('go', '');
    assert.match(await slow.read(/"slow"$/), /Connection: keep-alive/);
    app.made.remove('go');
    await ended(app, [Number(old)]);
    assert.is.not(await pid(slow), Number(old));
    assert.is.not(await pid(half), halfPid);
  });

  test('a WebSocket keeps its state, and an event stream continues in the same response', async ({ app }) => {
    const peer = await connectSocket(app.url, '/ws/count');
    const first = (await peer.send('').json()) as [number, number];
    const stream = await connect(app.url);
    stream.send('GET /api/ticks HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let text = await stream.read(/id: 9\n/);
    const from = app.output.mark();
    await reload(app);
    await app.output.waitFor(/"Handed over 1 WebSocket(?:,| and) 1 event stream /, from);
    const second = (await peer.send('').json()) as [number, number];
    assert.equal([first[0], second[0]], [1, 2]);
    assert.is.not(second[1], first[1]);
    text += await stream.read(/data: \d+\n\n/);
    const last = Number([...text.matchAll(/id: (\d+)\n/g)].at(-1)?.[1]);
    text += await stream.read(new RegExp(`id: ${last + 100}\\n`));
    stream.close();
    peer.close();
    assert.is(text.match(/HTTP\/1\.1 200 OK/g)?.length, 1);
    assert.is(new Set(text.match(/(?<=data: )\d+/g)).size, 2);
    const ids = [...text.matchAll(/id: (\d+)\n/g)].map(([, id]) => Number(id));
    assert.equal(
      ids,
      Array.from({ length: ids.length }, (_, index) => index + 1),
    );
  });

  test.run();
}

const test = suite('workers handover');

unsampled(test)('a reload under load closes no connection and answers each request once', async () => {
  const running = await app();
  const connections = await open(CONNECTIONS, running);
  let isOver = false;
  const asking = connections.map(async (connection) => {
    while (!isOver) await pid(connection);
  });
  for (let round = 0; round < 4; round += 1) {
    await reload(running);
    await running.output.waitFor(/"Handed over /, running.output.mark());
  }
  isOver = true;
  await Promise.all(asking);
  assert.is((await running.stop()).status, 0);
});

unsampled(test)('an idle connection keeps its keep-alive time when it moves', async () => {
  const running = await app(`headersTimeout: ${HEADERS_MS}`);
  const [idle] = await open(1, running);
  assert.ok(idle);
  const before = await pid(idle);
  await reload(running);
  await ended(running, [before]);
  // The time for the first request on it is over.
  const [silent] = await open(1, running);
  assert.match((await silent?.rest()) ?? '', /^HTTP\/1\.1 408 /);
  await pid(idle);
  assert.is((await running.stop()).status, 0);
});

unsampled(test)('moved connections do not count as new ones for http.maxConnections', async () => {
  const running = await app('maxConnections: 20');
  const connections = await open(20, running);
  await pidsOf(connections);
  running.made.write('fwk.config.ts', configFile('{ http: { maxConnections: 5 } }'));
  const from = running.output.mark();
  await reload(running);
  await running.output.waitFor(/"Handed over 20 idle connections/, from);
  await pidsOf(connections);
  assert.is((await running.stop()).status, 0);
});

unsampled(test)('an event stream without ids ends, and its connection moves', async () => {
  const running = await app();
  const stream = await connect(running.url);
  stream.send('GET /api/plain-ticks HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await stream.read(/data: tick/);
  const from = running.output.mark();
  await reload(running);
  await stream.read(/\r\n0\r\n\r\n$/);
  await running.output.waitFor(/"Handed over 1 idle connection in/, from);
  await pid(stream);
  assert.is((await running.stop()).status, 0);
});

unsampled(test)('event streams move in three reloads, and the access log has one line for each', async () => {
  const running = await app();
  const streams = await open(20, running);
  for (const stream of streams) stream.send('GET /api/ticks HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const texts = await Promise.all(streams.map((stream) => stream.read(/id: 5\n/)));
  for (let round = 0; round < 3; round += 1) {
    const from = running.output.mark();
    await reload(running);
    await running.output.waitFor(/"Handed over 20 event streams in/, from);
  }
  let shortest = Number.POSITIVE_INFINITY;
  for (const [index, stream] of streams.entries()) {
    let text = (texts[index] ?? '') + (await stream.read(/data: \d+\n\n/));
    const last = Number([...text.matchAll(/id: (\d+)\n/g)].at(-1)?.[1]);
    text += await stream.read(new RegExp(`id: ${last + 20}\\n`));
    const ids = [...text.matchAll(/id: (\d+)\n/g)].map(([, id]) => Number(id));
    assert.equal(
      ids,
      Array.from({ length: ids.length }, (_, at) => at + 1),
    );
    shortest = Math.min(shortest, text.length - text.indexOf('\r\n\r\n') - 4);
    stream.close();
  }
  await running.output.waitFor(/(?:GET \/api\/ticks 200[\s\S]*){20}/);
  const lengths = [...running.output.all.matchAll(/"status":200,"bytes":(\d+),.*GET \/api\/ticks 200/g)];
  assert.is(lengths.length, 20);
  // What the first process has sent is counted, too.
  for (const [, length] of lengths) assert.ok(Number(length) >= shortest, `${length} of ${shortest} bytes`);
  assert.is((await running.stop()).status, 0);
  assert.is(running.output.all.match(/GET \/api\/ticks 200/g)?.length, 20);
});

unsampled(test)('behind nginx, no request fails and no WebSocket closes', async () => {
  if (!isInstalled('nginx')) return;
  const running = await app();
  const port = Number(new URL(running.url).port);
  const front = await proxy('nginx', [port, port]);
  const peers = await Promise.all(
    Array.from({ length: 10 }, () => connectSocket(front.url, '/ws/count', { ca: front.ca })),
  );
  const agent = new https.Agent({ ca: front.ca, keepAlive: true });
  let isOver = false;
  let answered = 0;
  const asking = Array.from({ length: 4 }, async () => {
    for (; !isOver; answered += 1) assert.is(await statusOf(`${front.url}/api/version`, agent), 200);
  });
  for (let round = 1; round <= 4; round += 1) {
    const from = running.output.mark();
    await reload(running);
    await running.output.waitFor(/"Handed over 10 WebSockets/, from);
    for (const peer of peers) assert.is(((await peer.send('').json()) as number[])[0], round);
  }
  isOver = true;
  await Promise.all(asking);
  assert.ok(answered > 20, String(answered));
  agent.destroy();
  for (const peer of peers) peer.close();
  front.stop();
  assert.is((await running.stop()).status, 0);
});

test.run();
