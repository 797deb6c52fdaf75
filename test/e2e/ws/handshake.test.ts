import type { ClientRequest } from 'node:http';
import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { connectSocket, handshake } from '../../harness/socket.js';
import { module, route, wsModule } from '../../harness/source.js';

const files: Files = {
  'ws/echo.ts': wsModule('({ send, onMessage }) => onMessage((message) => { send(message); })'),
  'ws/guarded.ts': wsModule(`({ send }) => send('in')).meta({ membersOnly: true }`),
  'ws/private/_middleware.ts': module(
    'middleware, error',
    `export default middleware(() => { throw error(403, 'Not you'); });`,
  ),
  'ws/protocols.ts': wsModule(
    `{ protocols: ['v2', 'v1'] }, ({ send, protocol, req }) => send(protocol + ' of ' + req.header('sec-websocket-protocol'))`,
  ),
  'ws/private/door.ts': wsModule('() => {}'),
  'middlewares/1.members.ts': module(
    'middleware, error',
    `export default middleware(async (req, res, ctx, next) => {
      res.header('x-mark', 'yes').cookie('seen', '1');
      if (req.route.meta.membersOnly && req.header('authorization') !== 'open') throw error(401, { message: 'Log in' });
      return next();
    });`,
  ),
  'api/plain.ts': route('get', `() => 'plain'`),
};

served(files, (test, site) => {
  const open = (path: string, options = {}, protocols: string[] = []) =>
    connectSocket(site.dev.url, path, options, protocols);
  const refused = (path: string, headers = {}) => handshake(site.dev.url, path, headers);

  test('middlewares run before the upgrade, and their headers are sent with it', async () => {
    const answer = await refused('/ws/guarded');
    assert.equal([answer.status, answer.json], [401, { message: 'Log in' }]);
    assert.is((await refused('/ws/private/door')).status, 403);
    const peer = await open('/ws/guarded', { headers: { authorization: 'open' } });
    assert.is(await peer.next(), 'in');
    const { headers } = await new Promise<{ headers: Record<string, unknown> }>((resolve) => {
      void open('/ws/echo', {
        finishRequest: (req: ClientRequest) => req.once('upgrade', resolve).end(),
      });
    });
    assert.equal([headers['x-mark'], headers['set-cookie']], ['yes', ['seen=1; Path=/']]);
  });

  test('rejects other requests before the upgrade', async () => {
    const nowhere = await refused('/ws/nowhere');
    assert.equal([nowhere.status, nowhere.headers['content-type']], [404, 'application/problem+json']);
    const plain = await site.raw('/ws/echo');
    assert.equal([plain.status, plain.headers.upgrade], [426, 'websocket']);
    assert.is((await site.raw('/ws/echo', { method: 'POST' })).status, 405);
    const old = await refused('/ws/echo', { 'sec-websocket-version': '7' });
    assert.equal([old.status, old.headers['sec-websocket-version']], [426, '13']);
    assert.is((await refused('/ws/echo', { 'sec-websocket-key': 'short' })).status, 400);
    assert.is((await refused('/ws/echo', { 'sec-websocket-protocol': ',,' })).status, 400);
    assert.is((await refused('/api/plain')).json, 'plain');
    assert.is(
      (await site.raw('/api/plain', { headers: { connection: 'Upgrade', upgrade: 'h2c' } })).json,
      'plain',
    );
  });

  test('rejects pages of foreign origins', async () => {
    const host = new URL(site.dev.url).host;
    assert.is((await refused('/ws/echo', { origin: 'https://evil.example' })).status, 403);
    assert.is((await refused('/ws/echo', { origin: 'null' })).status, 403);
    assert.is((await refused('/ws/echo', { origin: `http://${host}.evil.example` })).status, 403);
    const peer = await open('/ws/echo', { origin: `http://${host}` });
    assert.is(await peer.send('own').next(), 'own');
  });

  test('the handler chooses the subprotocol from its list, and none without a list', async () => {
    const peer = await open('/ws/protocols', {}, ['v3', 'v1', 'v2']);
    assert.equal([peer.protocol, await peer.next()], ['v2', 'v2 of v3,v1,v2']);
    // A client that offers only others ends the connection.
    for (const [path, offered] of [
      ['/ws/protocols', 'v9'],
      ['/ws/echo', 'v2'],
    ] as const)
      assert.match(await open(path, {}, [offered]).then(String, String), 'Server sent no subprotocol');
  });
});
