import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request, tcp } from '../../harness/http.js';
import { production } from '../../harness/production.js';
import { inSample, unsampled } from '../../harness/sample.js';
import { connectSocket, HANDSHAKE, type Peer } from '../../harness/socket.js';
import { configFile, route, wsModule } from '../../harness/source.js';

const files = {
  'ws/echo.ts': wsModule(`({ params, send, onMessage, onClose }) => {
       onMessage((message) => { send(message); });
       onClose(({ code }) => console.log('[ended ' + code + ']'));
     }`),
  'ws/room.ts': wsModule(`({ join }) => { join('all'); }`),
  'ws/flood.ts': wsModule(`async ({ send, onClose, req }) => {
       let open = true;
       onClose(({ code }) => { open = false; console.log('[flood ended ' + code + ']'); });
       while (open) {
         const waiting = send(Buffer.alloc(65536));
         if (req.query.patient) await waiting;
         else await new Promise(setImmediate);
       }
     }`),
  'ws/teller.ts': wsModule(`({ publish, onMessage }) => onMessage((message) => publish('all', message))`),
  'api/rss.ts': route('get', '() => process.memoryUsage().rss'),
  'fwk.config.ts': configFile(`{ ws: { backpressureLimit: 1_000_000, origins: ['https://shop.example'] } }`),
};

const test = suite('limits');
const site = await production(files);
test.after(() => site.stop());

const open = (path: string, options = {}) => connectSocket(site.url, path, options);

/** A client that implements only as much of the protocol as the test needs: it answers no ping. */
async function bare(path: string, url = site.url) {
  const socket = await tcp(url);
  const headers = Object.entries({ host: new URL(url).host, ...HANDSHAKE });
  socket.write(
    `GET ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  await once(socket, 'data');
  return socket;
}

const MANY = inSample(500, 2_000);

test(`serves ${MANY} connections at once`, async () => {
  const peers: Peer[] = [];
  while (peers.length < MANY)
    peers.push(...(await Promise.all(Array.from({ length: 100 }, () => open('/ws/room')))));
  (await open('/ws/teller')).send('to all');
  const received = await Promise.all(peers.map((peer) => peer.next()));
  assert.is(received.filter((message) => message === 'to all').length, MANY);
  for (const peer of peers) peer.close();
  await Promise.all(peers.map((peer) => peer.closed));
});

test('cuts off a client that stops reading; memory stays bounded and others are served', async () => {
  const rss = async () => Number((await request(site.url, '/api/rss', {})).text);
  const before = await rss();
  const from = site.output.mark();
  const stopped = await Promise.all(Array.from({ length: 10 }, () => bare('/ws/flood')));
  for (const socket of stopped) socket.pause();
  const other = await open('/ws/echo');
  for (let count = 0; count < 10; count++) {
    await other.send('there?').next();
    await site.output.waitFor(new RegExp(`(flood ended 1006[\\s\\S]*){${count + 1}}`), from);
  }
  await site.output.waitFor(/WS \/ws\/flood was cut off: its client left \d{7} bytes unread/, from);
  // Ten clients with a megabyte each, and garbage; without a limit it grows until the process ends.
  assert.ok((await rss()) - before < 150_000_000, `${before} → ${await rss()}`);
  assert.is(await other.send('still there?').next(), 'still there?');
  for (const socket of stopped) socket.destroy();
  other.close();
});

unsampled(test)('awaiting send() writes no faster than the client reads', async () => {
  const from = site.output.mark();
  const socket = await bare('/ws/flood?patient=1');
  socket.pause();
  const other = await open('/ws/echo');
  for (let count = 0; count < 200; count++) await other.send('x').next();
  let bytes = 0;
  socket.on('data', (data) => {
    bytes += data.length;
    if (bytes > 20_000_000) socket.destroy();
  });
  socket.resume();
  await once(socket, 'close');
  await site.output.waitFor(/flood ended 1006/, from);
  assert.not.match(site.output.all.slice(from), /was cut off/);
  other.close();
});

test('a message over the limit closes with 1009', async () => {
  const peer = await open('/ws/echo');
  assert.is((await peer.send('x'.repeat(1_048_576)).next()).length, 1_048_576);
  assert.is((await peer.send('x'.repeat(1_048_577)).closed)[0], 1009);
});

unsampled(test)('text that is not UTF-8 closes with 1007', async () => {
  const peer = await open('/ws/echo');
  peer.socket.send(Buffer.from([0xc3, 0x28]), { binary: false });
  assert.is((await peer.closed)[0], 1007);
});

unsampled(test)('an invalid frame closes with 1002', async () => {
  const socket = await bare('/ws/echo');
  socket.write(Buffer.from([0x81, 0x01, 0x61])); // not masked
  const [answer] = (await once(socket, 'data')) as [Buffer];
  const closing = answer.indexOf(0x88);
  assert.is(answer.readUInt16BE(closing + 2), 1002);
  socket.destroy();
});

test('a silent peer is disconnected, and a responding one stays', async () => {
  const watchful = await production({
    ...files,
    'fwk.config.ts': configFile('{ ws: { heartbeat: 500 } }'),
  });
  const alive = await connectSocket(watchful.url, '/ws/echo');
  const dead = await bare('/ws/echo', watchful.url);
  let pings = 0;
  dead.on('data', (data) => {
    if (data.includes(0x89)) pings += 1;
  });
  await once(dead, 'close');
  assert.ok(pings > 0, `${pings} pings`);
  await watchful.output.waitFor(/\[ended 1006\]/);
  assert.is(await alive.send('here').next(), 'here');
  await watchful.stop();
});

unsampled(test)('a configured origin may connect', async () => {
  const peer = await open('/ws/echo', { origin: 'https://shop.example' });
  assert.is(await peer.send('hi').next(), 'hi');
  peer.close();
});

test('a shutdown closes sockets with 1001 immediately, runs onClose callbacks, and exits with 0', async () => {
  const ending = await production(files);
  const peers = await Promise.all(Array.from({ length: 20 }, () => connectSocket(ending.url, '/ws/echo')));
  const stopped = ending.stop();
  const codes = await Promise.all(peers.map(async (peer) => (await peer.closed)[0]));
  assert.equal([...new Set(codes)], [1001]);
  await stopped;
  assert.is(ending.output.stdout.match(/\[ended 1001\]/g)?.length, 20);
});

unsampled(test)('a shutdown does not wait for a client that does not answer', async () => {
  const ending = await production(files);
  const socket = await bare('/ws/echo', ending.url);
  socket.pause();
  await ending.stop();
  socket.destroy();
});

test.run();
