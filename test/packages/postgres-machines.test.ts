import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Visitor } from '../harness/cookie-client.js';
import { patience } from '../harness/patience.js';
import { type PostgresServer, postgresServer, withPostgres } from '../harness/postgres.js';
import { production } from '../harness/settings.js';
import { connectSocket, type Peer } from '../harness/socket.js';
import { type TcpProxy, tcpProxy } from '../harness/tcp-proxy.js';
import { workersMain } from '../harness/workers.js';
import { config, postgresProject } from './postgres-project.js';

const test = suite('machines over PostgreSQL');

const SECRET = `FWK_SECRET=${'s'.repeat(40)}`;
const [TIMEOUT_MS, GIVE_UP_MS] = [300, 1_000];
const AWAY = /postgres is unavailable \(([^)]*)\)/;
const BACK = /postgres is available again after [\d.]+ s\. (\d+) messages? could not be sent/;

let server: PostgresServer;
let network: TcpProxy;
let near: Awaited<ReturnType<typeof production>>;
let far: typeof near;

const room = (url: string, name = 'tea') => connectSocket(url, `/ws/rooms/${name}`);
const joined = async (...urls: string[]): Promise<Peer[]> => {
  const peers = await Promise.all(urls.map((url) => room(url)));
  for (const peer of peers) assert.is(await peer.next(), 'joined');
  return peers;
};
/** How long a request takes, in milliseconds, and its status. */
const timed = async (visitor: Visitor, path: string): Promise<[number, number]> => {
  const begun = performance.now();
  const { status } = await visitor.visit(path);
  return [status, performance.now() - begun];
};
/** Asks until the answer is as expected. */
async function until(ask: () => Promise<unknown>, expected: unknown): Promise<void> {
  for (const end = Date.now() + patience(); (await ask()) !== expected; ) {
    if (Date.now() > end) assert.is(await ask(), expected);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test.before(async () => {
  server = await postgresServer();
  network = await tcpProxy(server.port);
  const made = postgresProject({
    'workers.ts': workersMain(),
    'fwk.config.ts': config(
      "client: () => new pg.Client(process.env.DATABASE_URL), name: 'shop'",
      `{ timeout: ${TIMEOUT_MS}, giveUp: ${GIVE_UP_MS}, heartbeat: 200, lease: 500, maxMessage: 400_000 }`,
    ),
  });
  const begin = (entry: string, url: string) =>
    production(made, entry, process.execPath, [SECRET, `DATABASE_URL=${url}`]);
  far = await begin('main.js', `postgres://postgres@127.0.0.1:${network.port}/postgres`);
  near = await begin('workers.js', server.url());
});

test.after(async () => {
  network?.close();
  await server?.crash();
});

test('rooms: each message once and in order in all processes, and members of all are counted', async () => {
  const peers = await joined(near.url, far.url, near.url, far.url);
  await until(async () => (await fetch(`${far.url}/api/count`)).json(), 4);
  const count = 300;
  for (let number = 0; number < count; number += 1) {
    peers[0]?.send(`near ${number}`);
    peers[1]?.send(`far ${number}`);
  }
  const of = (sender: string) => Array.from({ length: count }, (_, number) => `${sender} ${number}`);
  for (const peer of peers) {
    const came = (await peer.take(2 * count)).map(String);
    for (const sender of ['near', 'far'])
      assert.equal(
        came.filter((text) => text.startsWith(sender)),
        of(sender),
      );
  }
  const [text, bytes] = ['ü'.repeat(150_000), Buffer.from([0, 10, 255])];
  peers[0]?.send(text, bytes, 'after');
  for (const peer of peers) assert.equal(await peer.take(3), [text, bytes, 'after']);
  // A message longer than maxMessage stays on its machine, and both machines log that.
  const from = far.output.mark();
  peers[0]?.send('x'.repeat(400_000), 'next');
  for (const [at, peer] of peers.entries()) {
    const local = at % 2 === 0;
    if (local) assert.is(String(await peer.next()).length, 400_000);
    assert.is(await peer.next(), 'next');
  }
  await near.output.waitFor(/1 message longer than postgres\.maxMessage \(400000 bytes\) could not be sent/);
  await far.output.waitFor(/1 message from other machines did not arrive/, from);
  for (const peer of peers) peer.close();
  await until(async () => (await fetch(`${near.url}/api/count`)).json(), 0);
});

test('a suspended holder loses its lock: the next one has a greater token, and its own signal is aborted', async () => {
  const ask = async (url: string, query = '') =>
    (await fetch(`${url}/api/lock${query}`, { method: 'POST' })).json() as Promise<{
      token: number;
      aborted: boolean;
    }>;
  const holding = ask(far.url, '?aborts=1');
  await far.output.waitFor(/\[locked\]/);
  far.child.kill('SIGSTOP');
  const next = await ask(near.url);
  far.child.kill('SIGCONT');
  const held = await holding;
  assert.equal([held.aborted, next.aborted], [true, false]);
  assert.ok(next.token > held.token, `${next.token} after ${held.token}`);
});

test('a network that drops everything: session reads get 503 in time, and other requests work', async () => {
  const visitor = new Visitor(far.url);
  await visitor.post('/api/cart');
  const [here, there] = await joined(far.url, near.url);
  const from = far.output.mark();
  network.swallow(true);
  const [first, took] = await timed(visitor, '/api/visit');
  assert.is(first, 503);
  assert.ok(took < TIMEOUT_MS + 400, `${took} ms`);
  const [second, then] = await timed(visitor, '/api/visit');
  assert.is(second, 503);
  assert.ok(then < 250, `${then} ms`);
  assert.is((await visitor.visit('/api/plain')).status, 200);
  assert.is((await fetch(`${far.url}/readyz`)).status, 200);
  // Delivery within the machine is immediate.
  here?.send('local');
  assert.is(await here?.next(), 'local');
  const [, reason] = await far.output.waitFor(AWAY, from);
  assert.is(reason, `no answer within ${TIMEOUT_MS} ms`);
  network.swallow(false);
  const [, lost] = await far.output.waitFor(BACK, from);
  assert.is(Number(lost), 1);
  assert.is(far.output.all.slice(from).match(new RegExp(AWAY, 'g'))?.length, 1, 'said once');
  // Others know how many they have missed.
  await near.output.waitFor(/postgres: 1 message from other machines did not arrive/);
  assert.equal(await visitor.json('/api/visit'), { cart: 1, list: 0 });
  here?.send('again');
  assert.is(await there?.next(), 'again');
  for (const peer of [here, there]) peer?.close();
});

test('after a crash of PostgreSQL, sessions remain and rooms work again', async () => {
  const visitor = new Visitor(near.url);
  await visitor.post('/api/cart');
  const peers = await joined(far.url, near.url);
  const marks = [near, far].map(({ output }) => output.mark());
  // A lock is on disk when it is had, and so is all that was written before.
  await fetch(`${near.url}/api/lock`, { method: 'POST' });
  await server.crash();
  for (const [at, { output }] of [near, far].entries()) await output.waitFor(AWAY, marks[at]);
  assert.is((await visitor.visit('/api/visit')).status, 503);
  peers[0]?.send('lost');
  assert.is(await peers[0]?.next(), 'lost');
  await server.restart();
  await far.output.waitFor(BACK, marks[1]);
  // Workers reconnect independently, and a worker that is still disconnected misses the other machine's messages.
  await near.output.waitFor(new RegExp(`(?:${BACK.source}[^]*){2}`), marks[0]);
  await until(async () => (await visitor.visit('/api/visit')).status, 200);
  assert.equal(await visitor.json('/api/visit'), { cart: 1, list: 0 });
  await until(async () => (await fetch(`${near.url}/api/count`)).json(), 2);
  peers[0]?.send('found');
  assert.is(await peers[0]?.next(), 'found');
  assert.is(await peers[1]?.next(), 'found');
  for (const peer of peers) peer.close();
});

test('SIGTERM ends all processes with 0 and leaves no connection and no member', async () => {
  for (const { stop } of [near, far]) await stop();
  const database = new pg.Client(server.url());
  await database.connect();
  database.on('error', () => {});
  const connections = async () =>
    (
      await database.query(
        "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
      )
    ).rowCount;
  await until(connections, 0);
  await database.end();
});

const tests = withPostgres(test);
tests.run();
