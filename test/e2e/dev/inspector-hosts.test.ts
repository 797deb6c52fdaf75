import { networkInterfaces } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inspected, inspecting } from '../../harness/dev-page.js';
import { request } from '../../harness/http.js';
import { configFile, route } from '../../harness/source.js';

// Only this machine's own pages and programs may read or use the dev page.

const files = { 'api/fine.ts': route('get', `() => 'fine'`) };
const test = suite('access to the dev page');
const { server, get, read } = await inspecting(test, files);
const { url } = server;

const LOOKS = ['/_fwk', '/_fwk/state', '/_fwk/events', '/_fwk/request?id=1', '/_fwk/route?id=x'];
const ACTS = ['/_fwk/call', '/_fwk/again', '/_fwk/mcp'];
const body = JSON.stringify({ path: '/api/fine', id: 1, jsonrpc: '2.0', method: 'tools/list' });
const typed = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

test('a page of another site can neither read nor trigger anything', async () => {
  await get('/api/fine');
  const { host } = new URL(url);
  const strangers = [
    { host: 'evil.example' },
    { host: `evil.example:${new URL(url).port}`, origin: `http://evil.example:${new URL(url).port}` },
    { host, origin: 'https://evil.example' },
    { host, origin: 'null' },
    { host, origin: 'http://localhost:1' },
    { host, 'sec-fetch-site': 'cross-site' },
    { host, 'sec-fetch-site': 'same-site' },
    // A tunnel that names this machine to it.
    { host, 'x-forwarded-for': '203.0.113.7' },
    { host, forwarded: 'for=203.0.113.7' },
    { host, 'x-forwarded-host': 'x.tunnel.example' },
    { host, 'cf-connecting-ip': '203.0.113.7' },
  ];
  for (const headers of strangers) {
    for (const path of LOOKS)
      assert.is((await request(url, path, { headers })).status, 403, JSON.stringify(headers));
    for (const path of ACTS) {
      const { status, text } = await request(url, path, {
        method: 'POST',
        headers: { ...headers, ...typed },
        body,
      });
      assert.is(status, 403, `${path} ${JSON.stringify(headers)}`);
      assert.not.match(text, 'fine');
    }
  }
  // Only the first was of the app.
  assert.is(((await read('/_fwk/state', 'requests')) as unknown[]).length, 1);
});

test('simple requests, which need no CORS preflight, have no effect', async () => {
  for (const path of ACTS) {
    const options = { method: 'POST', body, headers: { 'content-type': 'text/plain' } };
    assert.is((await request(url, path, options)).status, 400);
    assert.is((await request(url, path)).status, 405);
  }
  assert.is(((await read('/_fwk/state', 'requests')) as unknown[]).length, 1);
});

test('the page cannot be framed, but can be linked', async () => {
  const linked = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  const { status, headers } = await get('/_fwk', linked);
  assert.is(status, 200);
  assert.match(String(headers['content-security-policy']), "frame-ancestors 'none'");
  assert.is(headers['cross-origin-resource-policy'], 'same-origin');
  assert.is((await get('/_fwk', { ...linked, 'sec-fetch-dest': 'iframe' })).status, 403);
  assert.is((await get('/_fwk/state', { 'sec-fetch-site': 'same-origin' })).status, 200);
});

const remote = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')?.address;

/** Asks from another address of this machine, as another machine would. */
const fromElsewhere = async (url: string, path: string, host: string): Promise<number> => {
  const { port } = new URL(url);
  return (await request(`http://127.0.0.1:${port}`, path, { headers: { host, 'x-real-ip': '10.9.8.7' } }))
    .status;
};

test('other machines may use only the host names that the developer configured', async () => {
  const config = (hosts: string) => ({
    ...files,
    'fwk.config.ts': configFile(`{ http: { devHosts: ${hosts} } }`),
  });
  await inspected(
    config(`['shop.test']`),
    async ({ server: { url } }) => {
      assert.is(await fromElsewhere(url, '/_fwk/state', 'shop.test'), 200);
      assert.is(await fromElsewhere(url, '/_fwk/state', 'localhost'), 403);
      assert.is(await fromElsewhere(url, '/_fwk/state', '10.1.2.3'), 403);
      assert.is(await fromElsewhere(url, '/api/fine', 'localhost'), 200);
      // From this machine, by its own address.
      if (remote) assert.is((await request(url.replace('0.0.0.0', remote), '/_fwk/state')).status, 200);
    },
    '--host',
    '0.0.0.0',
  );
  await inspected(config(`['*']`), async ({ server: { url } }) => {
    assert.is(await fromElsewhere(url, '/_fwk/state', 'x.tunnel.example'), 403);
    assert.is(await fromElsewhere(url, '/api/fine', 'x.tunnel.example'), 200);
    assert.is((await request(url, '/_fwk/state', { headers: { host: 'x.tunnel.example' } })).status, 403);
  });
});

test.run();
