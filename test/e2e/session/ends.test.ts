import http from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectSocket, type Peer } from '../../harness/socket.js';
import { di, module, route } from '../../harness/source.js';
import { made, type Team, team } from '../../harness/workers.js';

const socket = (meta = '') =>
  module(
    'ws',
    `export default ws(({ send, onMessage }) => { send({ pid: process.pid }); onMessage(send); })${meta};`,
  );
const stream = (meta = '') =>
  module('sse', `export default sse(({ send }) => { send(process.pid); return () => {}; })${meta};`);

const appOf = (session = '') =>
  made({
    'di/user.ts': di('session', `() => ({ name: null })`),
    'fwk.config.js': `export default { session: { secrets: '${'s'.repeat(32)}'${session} } };`,
    'ws/live.ts': socket(),
    'ws/kept.ts': socket('.meta({ outlivesSession: true })'),
    'api/live.ts': stream(),
    'api/kept.ts': stream('.meta({ outlivesSession: true })'),
    'api/login.post.ts': route('post', `(req, res, ctx) => { ctx.user.name = 'Ada'; }`),
    'api/logout.post.ts': route('post, endSession', '(req) => endSession(req)'),
    'api/renew.post.ts': route('post, renewSession', '(req) => renewSession(req)'),
  });

/** An event stream, with its last event once it has ended. */
async function listen(url: string, cookie: string) {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
    http.get(url, { agent: false, headers: { cookie } }, resolve).on('error', reject),
  );
  const ended = new Promise<string>((resolve, reject) =>
    response.on('end', () => resolve('ended')).on('error', reject),
  );
  const first = new Promise<number>((resolve) =>
    response.once('data', (chunk) => resolve(Number(/data: (\d+)/.exec(String(chunk))?.[1]))),
  );
  return { pid: await first, ended, leave: () => response.destroy() };
}

interface Context {
  app: Team;
}
const test = suite<Context>('sockets and streams of a session that ends');
test.before(async (context) => {
  // A year, which is longer than timers of Node can be.
  context.app = await team(appOf(', maxAge: 31_536_000'));
});
test.after(async ({ app }) => assert.not.match((await app.stop()).stderr, 'Warning'));

async function login({ ask }: Team): Promise<string> {
  const { headers } = await ask('/api/login', { method: 'POST' });
  return headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
}

/** Sockets until each worker has two of them at least. */
async function sockets({ url }: Team, path: string, cookie: string): Promise<Peer[]> {
  const open: Peer[] = [];
  const count = new Map<number, number>();
  while (count.size < 2 || [...count.values()].some((one) => one < 2)) {
    const peer = await connectSocket(url, path, { headers: { cookie } });
    open.push(peer);
    const { pid } = (await peer.json()) as { pid: number };
    count.set(pid, (count.get(pid) ?? 0) + 1);
  }
  return open;
}

async function streams({ url }: Team, path: string, cookie: string) {
  const open = [await listen(url + path, cookie)];
  while (new Set(open.map(({ pid }) => pid)).size < 2) open.push(await listen(url + path, cookie));
  return open;
}

for (const [path, code, reason] of [
  ['/api/logout', 1008, 'The session has ended'],
  ['/api/renew', 1012, 'The session has a new id: reconnect'],
] as const)
  test(`${path}: sockets of the session close on all workers, and others stay open`, async ({ app }) => {
    const [mine, theirs] = [await login(app), await login(app)];
    const [open, kept, foreign] = [
      await sockets(app, '/ws/live', mine),
      await sockets(app, '/ws/kept', mine),
      await sockets(app, '/ws/live', theirs),
    ];
    const events = await streams(app, '/api/live', mine);
    const left = [await listen(`${app.url}/api/kept`, mine), await listen(`${app.url}/api/live`, theirs)];
    const guest = await connectSocket(app.url, '/ws/live');
    await guest.next();

    assert.is((await app.ask(path, { method: 'POST', headers: { cookie: mine } })).status, 204);
    for (const one of open) assert.equal(await one.closed, [code, reason]);
    for (const one of events) assert.is(await one.ended, 'ended');
    for (const one of [...kept, ...foreign, guest]) {
      assert.is(await one.send('still here').next(), 'still here');
      one.close();
    }
    for (const one of left) {
      assert.is(await Promise.race([one.ended, Promise.resolve('open')]), 'open');
      one.leave();
    }
  });

test('the old cookie opens a guest socket, which no session end closes', async ({ app }) => {
  const cookie = await login(app);
  await app.ask('/api/logout', { method: 'POST', headers: { cookie } });
  const peer = await connectSocket(app.url, '/ws/live', { headers: { cookie } });
  await peer.next();
  await app.ask('/api/logout', { method: 'POST', headers: { cookie } });
  assert.is(await peer.send('still here').next(), 'still here');
  peer.close();
});

test('when the session expires, its sockets close on all workers, and others stay open', async () => {
  const short = await team(appOf(', maxAge: 2'));
  try {
    const guest = await connectSocket(short.url, '/ws/live');
    await guest.next();
    const begun = performance.now();
    const cookie = await login(short);
    const open = await sockets(short, '/ws/live', cookie);
    const events = await streams(short, '/api/live', cookie);
    for (const one of open) assert.equal(await one.closed, [1008, 'The session has ended']);
    for (const one of events) assert.is(await one.ended, 'ended');
    assert.ok(performance.now() - begun >= 2_000);
    assert.is(await guest.send('still here').next(), 'still here');
    guest.close();
  } finally {
    await short.stop();
  }
});

test.run();
