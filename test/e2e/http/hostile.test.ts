import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, request } from '../../harness/http.js';
import { nodes } from '../../harness/nodes.js';
import { type Files, project } from '../../harness/project.js';
import { MAIN, production } from '../../harness/settings.js';
import { connectSocket } from '../../harness/socket.js';
import { di, middleware, route, wsModule } from '../../harness/source.js';

const files: Files = {
  'main.ts': MAIN,
  'api/quick.ts': route('get', `() => 'quick'`),
  // Never answers, and logs when the client has left.
  'api/slow.ts': route(
    `(req) => { console.log('[slow began]'); req.raw.socket.once('close', () => console.log('[gone]')); return new Promise(() => {}); }`,
  ),
  'di/transaction.ts': di(
    'request',
    `(ctx, { onDestroy }) => { onDestroy(() => console.log('[rolled back]')); return {}; }`,
  ),
  'api/held.ts': route(
    `(req, res, ctx) => { ctx.transaction; console.log('[held]'); req.signal.addEventListener('abort', () => console.log('[aborted]')); return new Promise((resolve) => req.signal.addEventListener('abort', resolve)); }`,
  ),
  'ws/left/_middleware.ts': middleware(`async (req, res, ctx, next) => {
       const { socket } = req.raw;
       socket.once('close', () => console.log('[closed]'));
       const left = new Promise((resolve) => socket.once('end', resolve));
       console.log('[waiting]');
       await left;
       return next();
     }`),
  'ws/left/echo.ts': wsModule('() => {}'),
  'ws/burst.ts': wsModule(
    `({ send, onMessage }) => onMessage(() => { for (let index = 0; index < 6000; index += 1) send('x'.repeat(1000)); })`,
  ),
};

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const upgrade = (to: string, more = ''): string =>
  `${more === '' ? 'GET' : 'POST'} /ws/burst HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`;

for (const [name, node] of nodes()) {
  const test = suite(name);
  const serve = (more: Files = {}) => production(project({ ...files, ...more }, 'js'), 'main.js', node);

  test('a handshake pipelined behind another request closes its own connection', async () => {
    const { child, end, url, output } = await serve();
    for (const before of [get('/api/slow'), get('/api/quick'), get('/nowhere')]) {
      const connection = await connect(url);
      connection.send(before + upgrade('websocket'));
      await connection.rest();
      assert.is((await request(url, '/api/quick')).json, 'quick', output.all);
    }
    child.kill('SIGTERM');
    await end;
  });

  test('a client that disconnects during its handshake leaves nothing open', async () => {
    const { url, output, stop } = await serve();
    const connection = await connect(url);
    connection.send(upgrade('websocket').replace('/ws/burst', '/ws/left/echo'));
    await output.waitFor(/\[waiting\]/);
    connection.close();
    await output.waitFor(/\[closed\]/);
    await stop();
  });

  test('a handshake without a socket route gets a large response completely', async () => {
    const { url, stop } = await serve({ 'public/large.txt': 'x'.repeat(3_000_000) });
    const connection = await connect(url);
    connection.send(upgrade('websocket').replace('/ws/burst', '/large.txt'));
    const [head = '', body = ''] = (await connection.rest()).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 200 /);
    assert.is(body.length, 3_000_000);
    await stop();
  });

  test('a pipelined upgrade offer does not delay the shutdown', async () => {
    const { child, end, url, output } = await serve({
      'fwk.config.ts': `import { defineConfig } from 'fwkit';\nexport default defineConfig({ http: { drainLimit: 300 } });\n`,
    });
    const connection = await connect(url);
    connection.send(
      get('/api/slow') + get('/api/quick').replace('\r\n', '\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n'),
    );
    await output.waitFor(/\[slow began\]/);
    child.kill('SIGTERM');
    await connection.rest();
    assert.is((await end).status, 1);
  });

  test('a client that keeps its side open does not delay the shutdown', async () => {
    const { url, stop } = await serve();
    const connection = await connect(url);
    connection.send(upgrade('websocket', 'Content-Length: 5\r\n'));
    await connection.read(/ 400 /);
    await stop();
  });

  test('a pipelined request is aborted with its connection', async () => {
    const { child, end, url, output } = await serve();
    const connection = await connect(url);
    connection.send(get('/api/slow') + get('/api/held'));
    await output.waitFor(/\[held\]/);
    connection.close();
    await output.waitFor(/\[aborted\]/);
    await output.waitFor(/\[rolled back\]/);
    child.kill('SIGKILL');
    await end;
  });

  test('a client that reads can receive more in one turn than the buffer limit', async () => {
    const { url, stop } = await serve();
    const peer = await connectSocket(url, '/ws/burst');
    peer.send('go');
    assert.is((await peer.take(6000)).length, 6000);
    peer.close();
    await stop();
  });

  test.run();
}
