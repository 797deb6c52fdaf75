import { once } from 'node:events';
import type { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request, tcp } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { connectSocket, HANDSHAKE } from '../../harness/socket.js';
import { configFile, route, sseRoute, wsModule } from '../../harness/source.js';

/** Sends from a subscription without awaiting, as the README's handlers do. */
const subscribed = (count: number, event: string) =>
  sseRoute(`({ send, signal }) => {
       let on = true;
       signal.addEventListener('abort', () => console.log('[aborted]'));
       const go = () => {
         for (let index = 0; on && index < ${count}; index += 1) send(${event});
         if (on) setImmediate(go);
       };
       go();
       return () => { on = false; console.log('[unsubscribed]'); };
     }`);

const files = {
  'api/large.ts': subscribed(10, `'x'.repeat(100_000)`),
  'api/small.ts': subscribed(10_000, `'x'`),
  'api/burst.ts': sseRoute(
    `({ send }) => { for (let index = 0; index < 300; index += 1) send(String(index).repeat(1_000)); }`,
  ),
  'api/waits.ts': sseRoute(
    `async ({ send }) => { for (let index = 0; index < 300; index += 1) await send('x'.repeat(100_000)); }`,
  ),
  'ws/stuck.ts': wsModule(`({ send, onMessage }) => {
       globalThis.gate ??= new Promise((resolve) => { globalThis.open = resolve; });
       onMessage(async (message) => { await globalThis.gate; send(message.length); });
     }`),
  'ws/quiet.ts': wsModule(
    `({ onClose }) => onClose(({ code }) => console.log('[quiet ended ' + code + ']'))`,
  ),
  'ws/rooms.ts': wsModule(`({ join, leave, onJson, send }) => onJson(({ enter, exit }) => {
       if (exit) leave(exit); else join(enter);
       send('ok');
     })`),
  'api/open.post.ts': route('post', '() => void globalThis.open()'),
  'api/rss.ts': route('get', '() => process.memoryUsage().rss'),
  'fwk.config.ts': configFile(`{ ws: { backpressureLimit: 1_000_000, heartbeat: 0 } }`),
};

const test = suite('buffers');
const site = await production(files);
test.after(() => site.stop());

const rss = async () => Number((await request(site.url, '/api/rss')).text);

/** A connection that the server cuts may end in an error. */
const closing = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

for (const size of ['large', 'small'])
  test(`cuts off a client that does not read ${size} events, and ends their source`, async () => {
    const before = await rss();
    const from = site.output.mark();
    const clients = await Promise.all(Array.from({ length: 8 }, () => tcp(site.url)));
    for (const client of clients)
      client.pause().write(`GET /api/${size} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await site.output.waitFor(/(\[aborted\][\s\S]*){8}/, from);
    await site.output.waitFor(/(\[unsubscribed\][\s\S]*){8}/, from);
    const pattern = new RegExp(
      `(SSE /api/${size} was cut off: its client left 4\\d{6} bytes unread \\(sse\\.backpressureLimit\\)[^]*){8}`,
    );
    await site.output.waitFor(pattern, from);
    assert.is(site.output.all.slice(from).split('was cut off').length - 1, 8);
    const grown = (await rss()) - before;
    assert.ok(grown < 150_000_000, `${grown} bytes`);
    // Data written before the end arrives; then the connection is cut without the end of a response.
    for (const client of clients) {
      let last = '';
      client.on('data', (data) => {
        last = data.toString('latin1').slice(-5);
      });
      await closing(client.resume());
      assert.is.not(last, '0\r\n\r\n');
    }
  });

test('a client that reads gets every event, whether send() was awaited or not', async () => {
  const burst = await request(site.url, '/api/burst');
  const events = burst.text.split('\n\n').filter(Boolean);
  assert.is(events.length, 300);
  for (const [index, event] of events.entries())
    assert.ok(event === `data: ${String(index).repeat(1_000)}`, String(index));
  assert.is((await request(site.url, '/api/waits')).text.length, 300 * 100_008);
});

test('reads only as many bytes of unhandled messages as the limit allows', async () => {
  const peer = await connectSocket(site.url, '/ws/stuck');
  const count = 40;
  const message = Buffer.alloc(1_048_576);
  for (let sent = 0; sent < count; sent += 1) peer.socket.send(message);
  let left = peer.socket.bufferedAmount;
  for (let same = 0; same < 50; ) {
    await request(site.url, '/api/rss');
    same = peer.socket.bufferedAmount === left ? same + 1 : 0;
    left = peer.socket.bufferedAmount;
  }
  // The rest is in the buffers of the system, some megabytes of it.
  assert.ok(left > 20 * message.length, `${left} bytes were not read`);
  await request(site.url, '/api/open', { method: 'POST' });
  assert.equal(
    await peer.take(count),
    Array.from({ length: count }, () => String(message.length)),
  );
  peer.close();
});

const PING = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)]);
const FRAGMENT = Buffer.from([0x00, 0x80, 0, 0, 0, 0]);

async function bare(path: string): Promise<Socket> {
  const socket = await tcp(site.url);
  const headers = Object.entries({ host: new URL(site.url).host, ...HANDSHAKE });
  socket.write(
    `GET ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

test('cuts off a client that pings without reading the pongs', async () => {
  const from = site.output.mark();
  const socket = await bare('/ws/quiet');
  socket.pause();
  const many = Buffer.concat(Array.from({ length: 1_000 }, () => PING));
  const closed = closing(socket);
  const flood = (): void => {
    while (!socket.destroyed && socket.write(many));
  };
  socket.on('drain', flood);
  flood();
  await site.output.waitFor(/\[quiet ended 1006\]/, from);
  await closed;
});

test('a message of too many fragments closes the connection', async () => {
  const socket = await bare('/ws/quiet');
  const pieces = Buffer.concat(Array.from({ length: 20_000 }, () => FRAGMENT));
  socket.write(Buffer.concat([Buffer.from([0x01, 0x80, 0, 0, 0, 0]), pieces]));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  assert.is(answer.readUInt16BE(answer.indexOf(0x88) + 2), 1008);
  socket.destroy();
});

test('the room names of one connection are limited', async () => {
  const peer = await connectSocket(site.url, '/ws/rooms');
  const name = (index: number) => `${index} `.padEnd(1_000, 'x');
  const say = (message: object) => peer.send(JSON.stringify(message)).next();
  // One room joined many times, and many rooms that are left, use no more memory than one.
  for (let index = 0; index < 300; index += 1) await say({ enter: name(0) });
  for (let index = 1; index < 300; index += 1) {
    await say({ enter: name(index) });
    await say({ exit: name(index) });
  }
  const closed = peer.closed;
  for (let index = 1; index < 300; index += 1) peer.send(JSON.stringify({ enter: name(index) }));
  assert.equal(await closed, [1008, 'This connection has joined too many rooms (ws.roomsLimit)']);
  assert.not.match(site.output.stderr, 'ws/rooms');
});

test.run();
