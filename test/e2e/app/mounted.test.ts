import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../app/entries/http.js';
import { rejected } from '../../harness/client.js';
import { connect, listening } from '../../harness/http.js';
import { withPatience } from '../../harness/patience.js';
import { production } from '../../harness/production.js';
import { project } from '../../harness/project.js';
import { createApp } from '../../harness/settings.js';
import { module, route } from '../../harness/source.js';

// Mounted in a server that answers all unmatched routes.

const files = {
  'main.ts': `import { createServer } from 'node:http';
import { createApp } from 'fwkit';

const app = await createApp();
const server = createServer((raw, out) => app.middleware(raw, out, () => {
  let size = 0;
  raw.on('data', (chunk) => { size += chunk.length; });
  raw.on('end', () => console.log('uploaded', size));
  raw.on('close', () => console.log('closed'));
  out.end('taken');
}));
server.listen(0, 'localhost', () => console.log('serves http://localhost:' + server.address().port + '/'));
process.on('SIGTERM', () => process.exit());
`,
  'api/here.ts': route('get', '() => 1'),
  'api/ticks.ts': module(
    'sse',
    `export default sse(async ({ send }) => {
       const timer = setInterval(async () => {
         await send(1).catch((thrown) => { clearInterval(timer); console.log('departed'); throw thrown; });
       }, 10);
       await new Promise((resolve) => setTimeout(resolve, 60_000));
     });`,
  ),
  'fwk.config.ts': `export default { cors: { origin: 'https://shop.example' } };`,
};

const test = suite('mounted');
const served = await production(files);
test.after(() => served.stop());

test('the host server can read the body, also after it has responded', async () => {
  assert.ok(served);
  const connection = await connect(served.url);
  connection.send('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\naaaa');
  await connection.read(/taken/);
  // Longer than a client may send without a reader.
  const late = setTimeout(() => connection.send('aaaa'), 5_500);
  assert.match(await served.output.waitFor(/uploaded \d+|closed/).then(([line]) => line), /uploaded 8/);
  clearTimeout(late);
  connection.close();
});

test('a method without a route is passed on to the host server, even if the URL has other methods', async () => {
  assert.ok(served);
  const ask = async (method: string, headers: Record<string, string> = {}) => {
    const { status, text, headers: got } = await served.raw('/api/here', { method, headers });
    return [status, text, got.allow];
  };
  assert.equal(await ask('GET'), [200, '1', undefined]);
  assert.equal(await ask('PUT'), [200, 'taken', undefined]);
  assert.equal(await ask('OPTIONS'), [204, '', 'GET, HEAD, OPTIONS']);
  const preflight = (method: string) =>
    ask('OPTIONS', { origin: 'https://shop.example', 'access-control-request-method': method });
  assert.is((await preflight('GET'))[0], 204);
  assert.equal(await preflight('PUT'), [200, 'taken', undefined]);
});

test('a callback that awaits send for a departed client does not end the process', async () => {
  assert.ok(served);
  const client = new AbortController();
  await fetch(new URL('/api/ticks', served.url), { signal: client.signal });
  client.abort();
  await served.output.waitFor(/departed/);
  assert.is((await served.raw('/api/here')).status, 200);
});

test('the app closes, and no timer runs, although a client disconnected before the host server passed its request on', async () => {
  const here = route('get', '() => 1').replace(/;\s*$/, '.meta({ timeout: 600_000 });');
  const app = await createApp(project({ 'api/here.ts': here }, 'js'), '.');
  const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
  const before = timers();
  const ended = new Promise<string | undefined>((resolve) => {
    const note = (exchange: unknown): void => {
      unsubscribe('fwk.request.end', note);
      resolve((exchange as Exchange).route?.path);
    };
    subscribe('fwk.request.end', note);
  });
  const server = createServer(async (raw, out) => {
    raw.socket.destroy();
    await once(out, 'close');
    app.listener(raw, out);
  });
  await rejected(fetch(`${await listening(server)}/api/here`));
  const late = () => new Error('The request did not end, or the app did not close.');
  assert.is(await withPatience(ended, late, 2_000), '/api/here');
  await withPatience(app.close(), late, 2_000);
  await new Promise((resolve) => server.close(resolve));
  assert.is(timers(), before);
});

test.run();
