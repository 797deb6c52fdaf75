import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../harness/http.js';
import { module } from '../../harness/source.js';
import { made, reload, team } from '../../harness/workers.js';

// What comes to a worker that has a successor: a proxy keeps connections to it, and sends requests there until it is told.

const test = suite('workers kept');

/** How long clients keep connections at most; more than what running requests get. */
const KEPT_MS = 1_200;
const HANDSHAKE = `Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`;
const app = () =>
  team(
    made({
      'fwk.config.ts': `export default { http: { drainLimit: 300, keepAliveTimeout: ${KEPT_MS} } };\n`,
      'api/tick.ts': module('sse', `export default sse(({ send }) => send('whole'));`),
      'api/ticks.ts': module(
        'sse',
        `export default sse(async ({ send }) => { await send('one'); return () => {}; });`,
      ),
      'ws/echo.ts': module('ws', `export default ws(({ send }) => void send('hello'));`),
    }),
  );

test('after SIGHUP a stream and a handshake are answered on connections that idle; the last one is kept as long as promised', async () => {
  const running = await app();
  const kept = async () => {
    const connection = await connect(running.url);
    connection.send('GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await connection.read(/\r\n\r\n1$/);
    return connection;
  };
  const [stream, socket, idle] = [await kept(), await kept(), await kept()];
  const open = await kept();
  open.send('GET /api/ticks HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await open.read(/data: one/);
  const from = performance.now();
  await reload(running);
  stream.send('GET /api/tick HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.match(await stream.rest(), /200 OK[\s\S]*Connection: close[\s\S]*data: whole/);
  socket.send(`GET /ws/echo HTTP/1.1\r\n${HANDSHAKE}`);
  assert.match(await socket.read(/hello/), /101 Switching Protocols/);
  // It has ended, and its client comes again.
  assert.match(await open.read(/0\r\n\r\n$/), /0\r\n/);
  await idle.rest();
  assert.ok(performance.now() - from > KEPT_MS - 100, `closed after ${performance.now() - from} ms`);
  await socket.rest();
  assert.is((await running.stop()).status, 0);
});

test('SIGTERM to one that waits for its clients, and to all, ends it without waiting', async () => {
  const running = await app();
  const idle = await connect(running.url);
  idle.send('GET /api/pid HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const pid = Number(/\d+$/.exec(await idle.read(/\r\n\r\n\d+$/))?.[0]);
  await reload(running);
  const from = performance.now();
  process.kill(pid, 'SIGTERM');
  await idle.rest();
  await running.output.waitFor(new RegExp(`\\[destroyed ${pid}\\]`));
  assert.ok(performance.now() - from < KEPT_MS - 200, `closed after ${performance.now() - from} ms`);
  assert.is((await running.stop()).status, 0);
});

test.run();
