import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handshakeHead } from '../../fuzz/frames.js';
import { connect } from '../../harness/http.js';
import { sseRoute, wsModule } from '../../harness/source.js';
import { made, reload, team, workersMain } from '../../harness/workers.js';

// What a reload does if connections cannot move to the new workers.
const test = suite('workers kept');

/** A process that loses every descriptor that it sends. */
const LOSES_DESCRIPTORS = `import cluster from 'node:cluster';
const { send } = process;
if (cluster.isWorker)
  process.send = (message, handle, ...rest) => handle ? true : send.call(process, message, handle, ...rest);`;

/** Milliseconds for which the server keeps idle connections: more than a reload takes on a busy machine. */
const KEPT_MS = 60_000;
/** For a test that waits for the end of a connection: longer than running requests get. */
const SHORTLY_KEPT_MS = 1_200;
const app = (keepAliveTimeout = KEPT_MS) =>
  team(
    made({
      'main.ts': workersMain('workers: 2', LOSES_DESCRIPTORS),
      'fwk.config.ts': `export default { http: { drainLimit: 300, keepAliveTimeout: ${keepAliveTimeout} } };\n`,
      'api/tick.ts': sseRoute(`({ send }) => send('whole')`),
      'api/ticks.ts': sseRoute(`async ({ send }) => { await send('one'); return () => {}; }`),
      'ws/echo.ts': wsModule(`({ send }) => void send('hello')`),
    }),
  );
const CLOSING =
  /"Connections close at this reload instead of being handed over: a trial connection did not arrive\."/;

/** A connection that idles after its first response. */
const kept = async (url: string) => {
  const connection = await connect(url);
  connection.send('GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await connection.read(/\r\n\r\n1$/);
  return connection;
};

test('after SIGHUP, a stream and a handshake on idle connections are answered', async () => {
  const running = await app();
  const [stream, socket, open] = [await kept(running.url), await kept(running.url), await kept(running.url)];
  open.send('GET /api/ticks HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await open.read(/data: one/);
  await reload(running);
  await running.output.waitFor(CLOSING);
  stream.send('GET /api/tick HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.match(await stream.rest(), /200 OK[\s\S]*Connection: close[\s\S]*data: whole/);
  socket.send(handshakeHead('/ws/echo'));
  assert.match(await socket.read(/hello/), /101 Switching Protocols/);
  // It has ended, and its client comes again.
  assert.match(await open.read(/0\r\n\r\n$/), /0\r\n/);
  assert.is(running.output.all.match(new RegExp(CLOSING, 'g'))?.length, 1);
  assert.is((await running.stop()).status, 0);
  await socket.rest();
});

test('after SIGHUP, an idle connection stays open for its keep-alive time, and then its worker ends', async () => {
  const running = await app(SHORTLY_KEPT_MS);
  const idle = await kept(running.url);
  const from = performance.now();
  await reload(running);
  await idle.rest();
  assert.ok(performance.now() - from > SHORTLY_KEPT_MS - 100, `closed after ${performance.now() - from} ms`);
  await running.output.waitFor(/(?:\[destroyed \d+\][\s\S]*){2}/);
  assert.is((await running.stop()).status, 0);
});

test('SIGTERM ends a worker that waits for its clients, and all workers, immediately', async () => {
  const running = await app();
  const idle = await connect(running.url);
  idle.send('GET /api/pid HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const pid = Number(/\d+$/.exec(await idle.read(/\r\n\r\n\d+$/))?.[0]);
  await reload(running);
  const from = performance.now();
  process.kill(pid, 'SIGTERM');
  await idle.rest();
  await running.output.waitFor(new RegExp(`\\[destroyed ${pid}\\]`));
  assert.ok(performance.now() - from < KEPT_MS / 2, `closed after ${performance.now() - from} ms`);
  assert.is((await running.stop()).status, 0);
});

test.run();
