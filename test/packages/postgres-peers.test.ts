import fc from 'fast-check';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { App } from '../../app/entries/index.js';
import type { Json, Peers } from '../../peers/index.js';
import { type PostgresServer, postgresServer, withPostgres } from '../harness/postgres.js';
import { createApp } from '../harness/settings.js';
import { contract } from '../peers/contract.js';
import { config, postgresProject, sharedOf } from './postgres-project.js';

const test = suite('peers over PostgreSQL');
process.env.FWK_SECRET = 's'.repeat(40);

type Received = [head: Json, body: string | Uint8Array];

const apps: App[] = [];
let server: PostgresServer;
let database: pg.Client;
/** Starts peers on another machine. */
let start: () => Promise<Peers>;
let a: Peers;
let b: Peers;

test.before(async () => {
  server = await postgresServer();
  database = new pg.Client(server.url());
  await database.connect();
  const made = postgresProject({
    'fwk.config.ts': config(`client: () => new pg.Client('${server.url()}'), name: 'shop'`),
  });
  start = async () => {
    const app = await createApp(made, '.');
    apps.push(app);
    return sharedOf(app);
  };
  // Simultaneously: both create the tables.
  [a, b] = await Promise.all([start(), start()]);
});

test.after(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await database?.end();
  await server?.crash();
});

for (const [name, check] of Object.entries(contract)) test(name, () => check([a, b]));

/** Resolves with the messages that `to` receives, once there are `count`. */
function received(to: Peers, topic: string, count: number): Promise<Received[]> {
  const all: Received[] = [];
  return new Promise((resolve) => {
    const end = to.on(topic, (head, body) => {
      if (all.push([head, body]) < count) return;
      end();
      resolve(all);
    });
  });
}

/** Resolves when `look` does not reject any more. */
async function soon<T>(look: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + 5_000; ; ) {
    try {
      return await look();
    } catch (cause) {
      if (Date.now() > until) throw cause;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

test('messages with any head, text or bytes, of any length, arrive once, in order, and not at their sender', async () => {
  const text = fc.string({ unit: 'binary' });
  const sent = fc.sample(fc.tuple(fc.jsonValue(), fc.oneof(text, fc.uint8Array())), 200);
  const long = 'ü'.repeat(150_000);
  sent.splice(100, 0, [{ long: 'x'.repeat(9_000) }, ''], [1, long], [2, Buffer.from(long)], [3, '\0']);
  let own = 0;
  a.on('any', () => {
    own += 1;
  });
  const arrived = received(b, 'any', sent.length);
  for (const [head, body] of sent) a.send('any', head as Json, body);
  const expected = sent.map(([head, body]) => [
    JSON.parse(JSON.stringify(head)),
    typeof body === 'string' ? body : Buffer.from(body),
  ]);
  assert.equal(await arrived, expected);
  // Messages that a sent after its reconnection would have arrived earlier.
  const echo = received(a, 'echo', 1);
  b.send('echo', null);
  await echo;
  assert.is(own, 0);
});

test('SQL publishes within its transaction, and invalid messages are dropped', async () => {
  const rubbish = [
    'x',
    'fwk1 {',
    'fwk1 []',
    'fwk1 {"t":1}',
    'fwk2 {"t":"sql"}',
    'fwk1 {"t":"sql","m":"m","p":"p"}',
    'fwk1 {"m":"m","p":"p","n":7,"r":1}',
    'fwk1 {"r":1}',
  ];
  for (const one of rubbish) await database.query(`SELECT pg_notify('fwk:shop', $1)`, [one]);
  const arrived = Promise.all([received(a, 'sql', 3), received(b, 'sql', 3)]);
  await database.query(
    `BEGIN; SELECT pg_notify('fwk:shop', E'fwk1 {"t":"sql","h":{"id":7}}\\nhello'); ROLLBACK`,
  );
  await database.query(`SELECT pg_notify('fwk:shop', E'fwk1 {"t":"sql","h":{"id":8}}\\nhello')`);
  // The same number again.
  const numbered = 'fwk1 {"m":"m","p":"p","n":9,"t":"sql","h":9}';
  for (const one of [numbered, `${numbered}\ntwice`, 'fwk1 {"t":"sql","h":"end"}'])
    await database.query(`SELECT pg_notify('fwk:shop', $1)`, [one]);
  for (const came of await arrived)
    assert.equal(came, [
      [{ id: 8 }, 'hello'],
      [9, ''],
      ['end', ''],
    ]);
});

test('a roster sums the shares of all processes, without those of an ended one', async () => {
  const third = await start();
  const sum = async (expected: number) => assert.is(await a.roster('test').sum('tea'), expected);
  a.roster('test').set(new Map([['tea', 2]]));
  b.roster('test').set(
    new Map([
      ['tea', 3],
      ['other', 5],
    ]),
  );
  third.roster('test').set(new Map([['tea', 4]]));
  await soon(() => sum(9));
  b.roster('test').set(new Map([['other', 5]]));
  await soon(() => sum(6));
  await apps.pop()?.close();
  await soon(() => sum(2));
});

test('expired entries are deleted in batches', async () => {
  await database.query(`
    INSERT INTO fwk.memory SELECT 'old ' || n, '{}', now() - interval '1 second' FROM generate_series(1, 2500) AS n;
    INSERT INTO fwk.lock SELECT 'old ' || n, gen_random_uuid(), n, now() - interval '2 hours' FROM generate_series(1, 3) AS n;
    INSERT INTO fwk.message SELECT 'old', n, 'x', now() - interval '2 minutes' FROM generate_series(1, 3) AS n`);
  await a.memory('kept').put('kept', {}, 60);
  await start();
  await soon(async () => {
    const { rows } = await database.query(`SELECT
      (SELECT count(*) FROM fwk.memory WHERE key LIKE 'old%') + (SELECT count(*) FROM fwk.lock WHERE name LIKE 'old%') +
      (SELECT count(*) FROM fwk.message WHERE sender = 'old') AS old`);
    assert.is(Number(rows[0].old), 0);
  });
  assert.ok(await b.memory('kept').get('kept'));
});

test('invalid values are rejected before any query', async () => {
  const memory = a.memory('wrong');
  const put = memory.put as (...args: unknown[]) => Promise<unknown>;
  for (const [args, told] of [
    [['k', {}, Number.NaN], /maxAge must be a finite number, not NaN/],
    [['k', { x: 1 }, 60], /the field "x" must be a string, not 1/],
    [[undefined, {}, 60], /a key must be a string, not undefined/],
  ] as const) {
    const thrown = await (async () => put(...args))().catch((cause: Error) => cause);
    assert.ok(thrown instanceof Error);
    assert.match(thrown.message, told);
    assert.is(Object(thrown).code, 'FWK803');
  }
});

test('keys of any length are distinct', async () => {
  const memory = a.memory('long');
  const keys = ['x', 'y'].map((end) => `${'k'.repeat(20_000)}${end}`);
  for (const key of keys) await memory.put(key, { end: key.slice(-1) }, 60);
  for (const key of keys) assert.equal((await b.memory('long').get(key))?.fields, { end: key.slice(-1) });
});

const tests = withPostgres(test);
tests.run();
