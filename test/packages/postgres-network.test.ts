import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Visitor } from '../harness/cookie-client.js';
import { type PostgresServer, postgresServer, withPostgres } from '../harness/postgres.js';
import { type TcpProxy, tcpProxy } from '../harness/tcp-proxy.js';
import { type Team, team, whoami, workersMain } from '../harness/workers.js';
import { fourHups, joined } from './hups.js';
import { config, postgresProject } from './postgres-project.js';

const test = suite<{ server: PostgresServer; network: TcpProxy; a: Team; b: Team }>(
  'machines over PostgreSQL, their workers and their network',
);

test.before(async (context) => {
  context.server = await postgresServer();
  context.network = await tcpProxy(context.server.port);
  const made = postgresProject({
    ...whoami,
    'main.ts': workersMain(),
    'fwk.config.ts': config(
      "client: () => new pg.Client(process.env.DATABASE_URL), name: 'shop'",
      '{ timeout: 2_000, heartbeat: 300 }',
    ),
  });
  const start = (port: number) =>
    team(made, 'main.js', [
      `FWK_SECRET=${'s'.repeat(40)}`,
      `DATABASE_URL=postgres://postgres@127.0.0.1:${port}/postgres`,
    ]);
  context.a = await start(context.network.port);
  context.b = await start(context.server.port);
});
test.after(async ({ server, network, a, b }) => {
  const ends = await Promise.all([a, b].flatMap((one: Team | undefined) => (one ? [one.stop()] : [])));
  network?.close();
  await server?.crash();
  assert.equal(
    ends.map(({ status }) => status),
    ends.map(() => 0),
    a?.output.all + b?.output.all,
  );
});

test('four replacements of workers under load lose and repeat no message', ({ a, b }) => fourHups(a, b));

test('with 150 ms of latency, messages stay in order, none is lost, and a session is read in time', async ({
  network,
  a,
  b,
}) => {
  const visitor = new Visitor(b.url);
  await visitor.post('/api/cart');
  network.delay(150);
  try {
    const [here, there] = await Promise.all([joined(a, 'slow'), joined(b, 'slow')]);
    for (let n = 0; n < 300; n += 1) {
      here.send(`here ${n}`);
      there.send(`there ${n}`);
    }
    for (const peer of [here, there]) {
      const came = (await peer.take(600)).map(String);
      for (const who of ['here', 'there'])
        assert.equal(
          came.filter((text) => text.startsWith(who)),
          Array.from({ length: 300 }, (_, n) => `${who} ${n}`),
        );
      peer.close();
    }
    const far = new Visitor(a.url, visitor.cookie);
    const begun = performance.now();
    assert.equal(await far.json('/api/visit'), { cart: 1, list: 0 });
    const took = performance.now() - begun;
    assert.ok(took >= 290 && took < 1_500, `${took} ms`);
    // Both write simultaneously, and neither write is lost.
    await Promise.all([far.post('/api/list'), visitor.post('/api/cart')]);
    assert.equal(await visitor.json('/api/visit'), { cart: 2, list: 1 });
    assert.not.match(a.output.all, /is unavailable/);
  } finally {
    network.delay(0);
  }
});

const tests = withPostgres(test);
tests.run();
