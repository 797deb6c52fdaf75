import { once } from 'node:events';
import net from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { request } from '../../harness/http.js';
import { inspected } from '../../harness/inspected.js';
import { route } from '../../harness/source.js';

// Whatever bytes come at the dev page: it answers with a sentence, and keeps no more than a few of those open that read nothing.

const files = {
  'api/fine.get.ts': route('get', `() => 'fine'`),
  'api/fails.get.ts': route('get', `() => { throw new Error('it fails'); }`),
};
const test = suite('strange bytes at the dev page');
const typed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const patient = () => ({ signal: AbortSignal.timeout(20_000) });
const MAX_BODY_BYTES = 2_097_152;

test('a host without a URL of its own is answered', () =>
  inspected(files, async ({ server: { url } }) => {
    for (const host of ['a b', '', '[::1', 'x@y', 'localhost:99999']) {
      const { status, text, headers } = await request(url, '/_fwk/mcp', {
        method: 'POST',
        headers: { ...typed, host, connection: 'close' },
        body: list,
      });
      assert.equal([status, /"name":"routes"/.test(text)], [200, true], host);
      assert.is(headers.connection, 'close');
    }
  }));

test('a body that is too long, or too deep, is refused with a sentence', () =>
  inspected(files, async ({ server: { url }, post }) => {
    for (const path of ['/_fwk/call', '/_fwk/again', '/_fwk/mcp']) {
      // Announced alone: it does not have to come.
      const announced = await ask(url, path, [`Content-Length: ${MAX_BODY_BYTES + 1}`, '', '{']);
      assert.match(announced, /^HTTP\/1\.1 413 [\s\S]*"The body is longer than 2097152 bytes"/);
      const piece = 'x'.repeat(1_048_577);
      const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
      const sent = await ask(url, path, ['Transfer-Encoding: chunked', '', chunk + chunk]);
      assert.match(sent, /^HTTP\/1\.1 413 /);
    }
    const levels = 500_000;
    const deep = `{"path":"/api/fine","body":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const { status, text } = await post('/_fwk/call', deep);
    assert.is(status, 400);
    assert.match(text, '"body\\" has more levels than can be sent');
  }));

test('of streams of events a few are open at a time, the newest, and HEAD opens none', () =>
  inspected(files, async ({ server: { url }, get }) => {
    const page = await get('/api/fails', { accept: 'text/html' });
    const [, version = ''] = /data-version="([^"]+)"/.exec(page.text) ?? [];
    for (const [path, most] of [
      ['/_fwk/events', 20],
      ['/_fwk/notice', 100],
      [`/.fwk/dev?${version}`, 100],
    ] as const) {
      const all = await Promise.all(Array.from({ length: 2 * most }, () => opened(url, path)));
      await atMost(all, most);
      // One that comes now is told, so those that were ended were others.
      const last = await opened(url, path);
      await atMost(all, most - 1);
      assert.not(last.destroyed);
      for (const socket of [...all, last]) socket.destroy();
    }
    for (const path of ['/_fwk/events', '/_fwk/notice'])
      assert.is((await request(url, path, { method: 'HEAD' })).status, 200, path);
  }));

/** The answer to a POST of JSON: what has come when the server ends the connection. */
async function ask(url: string, path: string, lines: readonly string[]): Promise<string> {
  const socket = await connected(url);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  // It need not read all that is sent.
  socket.on('error', () => {});
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  socket.write(head + lines.join('\r\n'));
  await once(socket, 'close', patient());
  return answer;
}

/** A stream whose head has come, and of which nothing more is read. */
async function opened(url: string, path: string): Promise<net.Socket> {
  const socket = await connected(url);
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(socket, 'data', patient());
  return socket;
}

async function connected(url: string): Promise<net.Socket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), autoSelectFamily: true });
  await once(socket, 'connect');
  return socket;
}

/** Waits until the server has ended all of these but `most`. */
async function atMost(sockets: readonly net.Socket[], most: number): Promise<void> {
  const open = () => sockets.filter(({ destroyed }) => !destroyed);
  while (open().length > most) await Promise.race(open().map((socket) => once(socket, 'close', patient())));
}

test.run();
