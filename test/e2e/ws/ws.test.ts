import * as assert from 'uvu/assert';
import type { Files } from '../../harness/project.js';
import { served } from '../../harness/served.js';
import { connectSocket } from '../../harness/socket.js';
import { module } from '../../harness/source.js';

const socket = (handler: string, more = '') => module(`ws${more}`, `export default ws(${handler});`);

const files: Files = {
  'ws/echo.ts': socket('({ send, onMessage }) => onMessage((message) => { send(message); })'),
  'ws/rooms/[room].ts': socket(`({ params, join, leave, publish, onJson, onClose }) => {
    join(params.room);
    onJson(({ say, quietly, go, to = params.room }) => {
      if (go) leave(params.room);
      if (say) publish(to, { said: say });
      if (quietly) publish(to, { said: quietly }, { self: false });
    });
    onClose(() => publish(params.room, { said: 'bye' }));
  }`),
  'ws/(group)/any/[...rest].ts': socket('({ params, send }) => send({ ...params })'),
  'ws/index.ts': socket(`({ send }) => send('root')`),
  'ws/values.ts': socket(`({ send }) => {
    for (const value of ['é', 1, null, [2], { a: true }, Buffer.from('bytes'), new Uint8Array([1, 2]).buffer]) send(value);
    for (const length of [125, 126, 65535, 65536]) send('x'.repeat(length));
  }`),
  'ws/slow-start.ts': socket(`async ({ send, onMessage }) => {
    onMessage(async (message) => { await new Promise(setImmediate); send('early ' + message); });
    await new Promise((resolve) => setTimeout(resolve, 50));
    send('ready');
  }`),
  'ws/order.ts': socket(`({ send, onMessage }) => {
    let at = 0;
    onMessage(async (message) => {
      if (at++ % 3 === 0) await new Promise(setImmediate);
      send(message);
    });
  }`),
  'ws/visitor.ts': socket(`({ ctx, send, onMessage }) => {
    send(ctx.visitor.name);
    onMessage(() => send(String(ctx.visitor.made)));
  }`),
  'di/visitor.ts': module(
    'di',
    `let made = 0;
    export default di({ lifetime: 'request', value: (ctx, { req, onDestroy }) => {
      const name = req.query.name;
      if (name) onDestroy(() => console.log('[gone ' + name + ']'));
      return { name, made: ++made };
    } });`,
  ),
  'ws/closes.ts': socket(`({ close, onMessage, onClose, signal }) => {
    onClose(({ code, reason }) => console.log('[closed ' + code + ' ' + reason + ' ' + signal.aborted + ']'));
    onMessage(() => close(4001, 'enough'));
  }`),
  'ws/throws/[where].ts': socket(
    `({ params, onMessage, onClose }) => {
    if (params.where === 'setup') throw new Error('setup detail');
    onMessage(async () => {
      if (params.where === 'denied') throw error(403, 'Members only');
      throw new Error('message detail');
    });
    onClose(() => { if (params.where === 'close') throw new Error('close detail'); });
  }`,
    ', error',
  ),
  'ws/later.ts': socket(`async ({ onClose, signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 10)));
    onClose(({ code }) => console.log('[late ' + code + ']'));
  }`),
};

served(files, (test, site) => {
  const open = (path: string) => connectSocket(site.dev.url, path);

  test('echoes text as text, and bytes as bytes', async () => {
    const peer = await open('/ws/echo');
    peer.send('hé', Buffer.from([0, 255]), '');
    assert.equal(await peer.take(3), ['hé', Buffer.from([0, 255]), '']);
    const big = 'ü'.repeat(500_000);
    assert.is(await peer.send(big).next(), big);
    peer.close(1000, 'done');
    assert.equal(await peer.closed, [1000, 'done']);
  });

  test('parameters, groups, index', async () => {
    assert.equal(await (await open('/ws/any/a/b%2Fc')).json(), { rest: 'a/b/c' });
    assert.is(await (await open('/ws')).next(), 'root');
  });

  test('send() accepts text and bytes in every frame size', async () => {
    const peer = await open('/ws/values');
    assert.equal(await peer.take(7), [
      'é',
      '1',
      'null',
      '[2]',
      '{"a":true}',
      Buffer.from('bytes'),
      Buffer.from([1, 2]),
    ]);
    const lengths = (await peer.take(4)).map((text) => text.length);
    assert.equal(lengths, [125, 126, 65_535, 65_536]);
  });

  test('rooms: join, leave, publish, to others only', async () => {
    const [ada, bob, eve] = await Promise.all(['a', 'a', 'b'].map((room) => open(`/ws/rooms/${room}`)));
    if (!ada || !bob || !eve) throw new Error('not connected');
    ada.send('{"say":"one"}');
    assert.equal([await ada.json(), await bob.json()], [{ said: 'one' }, { said: 'one' }]);
    ada.send('{"quietly":"two"}', '{"say":"three"}');
    assert.equal([await ada.json(), await bob.json()], [{ said: 'three' }, { said: 'two' }]);
    assert.equal(await bob.json(), { said: 'three' });
    bob.send('{"go":true,"say":"from outside"}');
    assert.equal(await ada.json(), { said: 'from outside' });
    eve.send('{"say":"to a","to":"a"}');
    assert.equal(await ada.json(), { said: 'to a' });
    bob.close();
    assert.equal(await ada.json(), { said: 'bye' });
  });

  test('invalid JSON closes with 1007 and is not logged', async () => {
    const from = site.dev.output.mark();
    for (const message of ['{', Buffer.from('{}')]) {
      const peer = await open('/ws/rooms/json');
      assert.equal(await peer.send(message).closed, [1007, 'The message is not JSON']);
    }
    assert.not.match(site.dev.output.all.slice(from), /failed/);
  });

  test('messages before the end of the handler wait for it', async () => {
    const peer = (await open('/ws/slow-start')).send('1', '2');
    assert.equal(await peer.take(3), ['ready', 'early 1', 'early 2']);
  });

  test('10,000 messages keep their order', async () => {
    const peer = await open('/ws/order');
    const sent = Array.from({ length: 10_000 }, (_, index) => String(index));
    assert.equal(await peer.send(...sent).take(10_000), sent);
  });

  test('messages sent right before the end are handled first', async () => {
    const from = site.dev.output.mark();
    const listener = await open('/ws/rooms/last');
    const peer = await open('/ws/rooms/last');
    peer.send('{"say":"1"}', '{"say":"2"}').close();
    const said = [await listener.json(), await listener.json(), await listener.json()];
    assert.equal(said, [{ said: '1' }, { said: '2' }, { said: 'bye' }]);
    assert.not.match(site.dev.output.all.slice(from), /failed/);
  });

  test('request-scoped values live as long as the connection', async () => {
    const from = site.dev.output.mark();
    const peer = await open('/ws/visitor?name=ada');
    assert.is(await peer.next(), 'ada');
    const [made] = await peer.send('?').take(1);
    assert.is(await peer.send('?').next(), made);
    assert.not.match(site.dev.output.all.slice(from), /\[gone ada\]/);
    peer.close();
    await site.dev.waitFor(/\[gone ada\]/, from);
  });

  test('either side closes with code and reason, and signal aborts', async () => {
    const from = site.dev.output.mark();
    const one = await open('/ws/closes');
    assert.equal(await one.send('go').closed, [4001, 'enough']);
    await site.dev.waitFor(/\[closed 4001 enough true\]/, from);
    (await open('/ws/closes')).close(4002, 'bye');
    await site.dev.waitFor(/\[closed 4002 bye true\]/, from);
    (await open('/ws/closes')).socket.terminate();
    await site.dev.waitFor(/\[closed 1006 {2}true\]/, from);
    (await open('/ws/later')).close();
    await site.dev.waitFor(/\[late 1005\]/, from);
  });

  test('an error is logged with its place and closes with 1011', async () => {
    const from = site.dev.output.mark();
    assert.equal(await (await open('/ws/throws/setup')).closed, [1011, 'setup detail']);
    await site.dev.waitFor(/WS \/ws\/throws\/setup failed in \S*ws\/throws\/\[where\]\.[jt]s:/, from);
    await site.dev.waitFor(/setup detail/, from);
    const peer = await open('/ws/throws/message');
    assert.equal(await peer.send('x').closed, [1011, 'message detail']);
    await site.dev.waitFor(/WS \/ws\/throws\/message failed/, from);
    (await open('/ws/throws/close')).close();
    await site.dev.waitFor(/WS \/ws\/throws\/close failed/, from);
  });

  test('error(4xx) closes with 1008 and its message, and is not logged', async () => {
    const from = site.dev.output.mark();
    const peer = await open('/ws/throws/denied');
    assert.equal(await peer.send('x').closed, [1008, 'Members only']);
    assert.not.match(site.dev.output.all.slice(from), /failed/);
  });
});
