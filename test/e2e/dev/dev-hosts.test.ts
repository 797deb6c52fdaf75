import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dev } from '../../harness/fwk.js';
import { request } from '../../harness/http.js';
import { project } from '../../harness/project.js';
import { sharing } from '../../harness/running.js';
import { handshake } from '../../harness/socket.js';
import { configFile, route, wsModule } from '../../harness/source.js';

// fwk dev answers only under this machine's names: another page may make its own name resolve to this machine.

const files = {
  'api/fine.ts': route('get', `() => 'fine'`),
  'api/fails.ts': route('get', `() => { throw new Error('the inside'); }`),
  'ws/echo.ts': wsModule('({ send, onMessage }) => onMessage((m) => { send(m); })'),
  'mcp/tools/add.ts': `import { tool } from 'fwkit/mcp';
export default tool({ description: 'Adds', input: { type: 'object' }, handler: () => 1 });`,
  'public/logo.svg': '<svg/>',
};
const STRANGE = [
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  'not.localhost.evil',
  '127.0.0.1.nip.io',
];

const under = async (url: string, host: string, path: string) =>
  (await request(url, path, { headers: { host } })).status;

const test = suite('hosts of fwk dev');
const serve = sharing(test);

test('unknown hosts get 403 and one sentence for every URL', () =>
  serve(files, async ({ server: { url } }) => {
    for (const host of STRANGE)
      for (const path of [
        '/api/fine',
        '/api/fails',
        '/none',
        '/logo.svg',
        '/.fwk/dev?1',
        '/mcp',
        '/ws/echo',
      ]) {
        const { status, text } = await request(url, path, { headers: { host } });
        assert.is(status, 403, `${host} ${path}`);
        const { message } = JSON.parse(text);
        assert.is(
          message,
          `Host "${host}" is not an allowed host of this development server. To allow it, add it to http.devHosts in fwk.config`,
        );
      }
    const page = await request(url, '/api/fails', { headers: { host: 'evil.example', accept: 'text/html' } });
    assert.is(page.status, 403);
    assert.not.match(page.text, 'the inside');
    assert.not.match(page.text, '<script');
  }));

test('handshakes of unknown hosts are rejected, too', () =>
  serve(files, async ({ server: { url } }) => {
    assert.is((await handshake(url, '/ws/echo', { host: 'evil.example' })).status, 403);
    assert.is((await handshake(url, '/none', { host: 'evil.example' })).status, 403);
  }));

test('accepts the names and addresses of this machine', () =>
  serve(files, async ({ server: { url } }) => {
    for (const name of [
      'localhost',
      'LOCALHOST',
      'localhost.',
      '127.0.0.1',
      '[::1]',
      '192.168.1.20',
      'shop.localhost',
      'web',
    ])
      assert.is(await under(url, `${name}:${new URL(url).port}`, '/api/fine'), 200, name);
  }));

test('accepts the host of --host and the hosts of the config', async () => {
  const config = (hosts: string) => configFile(`{ http: { devHosts: ${hosts} } }`);
  await serve(
    { ...files, 'fwk.config.ts': config(`['shop.test', '.tunnel.example']`) },
    async ({ server: { url }, save }) => {
      assert.is(await under(url, 'shop.test', '/api/fine'), 200);
      assert.is(await under(url, 'a.b.tunnel.example', '/api/fine'), 200);
      assert.is(await under(url, 'tunnel.example', '/api/fine'), 403);
      assert.is(await under(url, 'www.shop.test', '/api/fine'), 403);
      await save({ 'fwk.config.ts': config(`['*']`) });
      assert.is(await under(url, 'x.example', '/api/fine'), 200);
    },
  );
  const server = await dev(project(files), '--host', '127.1');
  assert.is(await under(server.url, '127.1', '/api/fine'), 200);
  assert.is(await under(server.url, 'evil.example', '/api/fine'), 403);
  await server.stop();
});

test.run();
