import { type ClientHttp2Session, connect } from 'node:http2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { type Production, production } from '../../harness/production.js';
import { isInstalled, PROXIES, proxy, type RunningProxy } from '../../harness/proxies.js';
import { module, postRoute, route, service, sseRoute, wsModule } from '../../harness/source.js';

// The configurations of examples/deploy, run by the real programs in front of one app.

const UPLOAD = Buffer.alloc(3_000_000, 'x');

const files = {
  'fwk.config.ts': 'export default { http: { trustProxy: 1 } };\n',
  'api/seen.ts': route('get', '({ ip, url, raw }) => ({ ip, url: url.href, port: raw.socket.remotePort })'),
  'api/files.ts': module(
    'post',
    `export default post(async ({ body }) => {
       let bytes = 0;
       for await (const chunk of body) bytes += chunk.length;
       return bytes;
     }).meta({ body: 'stream', bodyLimit: 10_000_000 });`,
  ),
  'services/told.ts': service('() => ({ go: new Map() })'),
  'api/go/[who].ts': postRoute('({ params }, res, ctx) => { ctx.told.go.get(params.who)(); return true; }'),
  'api/ticks/[who].ts': sseRoute(`async ({ send, params, ctx }) => {
       const told = new Promise((resolve) => ctx.told.go.set(params.who, resolve));
       await send('first');
       await told;
       await send('second');
     }`),
  'ws/echo.ts': wsModule('({ send, onMessage }) => onMessage((text) => void send(text))'),
};

interface Served {
  app: Production;
}

const apps = suite<Served>('proxies');
apps.before(async (context) => {
  context.app = await production(files);
});
apps.after(({ app }) => app.stop());

for (const name of PROXIES) {
  // The name of the test shows that the program is missing.
  if (!isInstalled(name)) {
    apps.skip(`${name} is not installed: apt-get install ${name}`);
    continue;
  }
  apps(`${name}: HTTP/2, forwarded headers, kept connections, uploads, events, sockets`, async ({ app }) => {
    const port = Number(new URL(app.url).port);
    const front = await proxy(name, [port, port]);
    const session = connect(front.url, { ca: front.ca });
    try {
      await checkRequests(front, session);
      await checkEvents(session, name);
      await checkSocket(front);
    } finally {
      session.destroy();
      front.stop();
    }
  });
}

async function checkRequests({ url }: RunningProxy, session: ClientHttp2Session): Promise<void> {
  const forged = {
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'evil.example',
  };
  const ports = new Set<number>();
  for (let time = 0; time < 6; time += 1) {
    const seen = JSON.parse((await ask(session, '/api/seen?a=1', forged)).text);
    assert.is(seen.ip.replace('::1', '127.0.0.1'), '127.0.0.1');
    assert.is(seen.url, `${url}/api/seen?a=1`);
    ports.add(seen.port);
  }
  // One to each of its two backends.
  assert.ok(ports.size <= 2, 'connections to the app are kept');
  assert.equal(await ask(session, '/api/files', { ':method': 'POST' }, UPLOAD), {
    status: 200,
    text: String(UPLOAD.length),
  });
  assert.is((await ask(session, '/readyz')).status, 200);
}

/** The second event is sent when the first has come. */
async function checkEvents(session: ClientHttp2Session, name: string): Promise<void> {
  const stream = session.request({ ':path': `/api/ticks/${name}` }).setEncoding('utf8');
  let text = '';
  let isTold = false;
  for await (const chunk of stream) {
    text += chunk;
    if (isTold || !text.includes('first')) continue;
    isTold = true;
    assert.is((await ask(session, `/api/go/${name}`, { ':method': 'POST' })).status, 200);
  }
  assert.match(text, /first[\s\S]*second/);
}

async function checkSocket({ url, ca }: RunningProxy): Promise<void> {
  const socket = new WebSocket(`${url.replace('https', 'wss')}/ws/echo`, { ca });
  socket.on('open', () => socket.send('hello'));
  const echoed = await new Promise((resolve, reject) => {
    socket.on('message', (data) => resolve(String(data))).on('error', reject);
  });
  assert.is(echoed, 'hello');
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.close(1000);
  assert.is(await closed, 1000);
}

async function ask(session: ClientHttp2Session, path: string, headers = {}, body?: Buffer) {
  const stream = session.request({ ':path': path, 'content-type': 'application/octet-stream', ...headers });
  const status = new Promise<number>((resolve) =>
    stream.on('response', (head) => resolve(head[':status'] ?? 0)),
  );
  stream.end(body);
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return { status: await status, text };
}

apps.run();
