import { createHash } from 'node:crypto';
import type { Fields, LeaseStore } from 'fwkit/peers';
import { isObject, type SharedMemory } from 'fwkit/plugin';
import type { Answer, Query } from './client.js';

export type Ask = (query: Query) => Promise<Answer>;

// Each statement is atomic: PostgreSQL locks the row and checks the condition again if another transaction has changed it.

const UNTIL = `now() + $3::float8 * interval '1 second'`;

const GET = `SELECT fields::text AS fields, extract(epoch FROM until - now())::text AS left
  FROM fwk.memory WHERE key = $1 AND until > now()`;

const PUT = `INSERT INTO fwk.memory AS m (key, fields, until) VALUES ($1, $2::jsonb, ${UNTIL})
  ON CONFLICT (key) DO UPDATE SET until = excluded.until,
    fields = CASE WHEN m.until > now() THEN m.fields || excluded.fields ELSE excluded.fields END`;

const PUT_NEW = `INSERT INTO fwk.memory AS m (key, fields, until) VALUES ($1, $2::jsonb, ${UNTIL})
  ON CONFLICT (key) DO UPDATE SET until = excluded.until, fields = excluded.fields WHERE m.until <= now()`;

const PUT_EXISTING = `UPDATE fwk.memory SET fields = fields || $2::jsonb, until = ${UNTIL}
  WHERE key = $1 AND until > now()`;

const TAKE = `DELETE FROM fwk.memory WHERE key = $1 RETURNING CASE WHEN until > now() THEN fields::text END AS fields`;

const ADD = `INSERT INTO fwk.memory AS m (key, fields, until)
  VALUES ($1, jsonb_build_object('sum', $2::float8::text), ${UNTIL})
  ON CONFLICT (key) DO UPDATE SET
    until = CASE WHEN m.until > now() THEN m.until ELSE excluded.until END,
    fields = CASE WHEN m.until > now()
      THEN jsonb_build_object('sum', (coalesce(m.fields->>'sum', '0')::float8 + $2::float8)::text)
      ELSE excluded.fields END
  RETURNING fields->>'sum' AS sum`;

export function memoryOf(app: string, name: string, ask: Ask): SharedMemory {
  const query = (statement: string, text: string, key: string, ...values: unknown[]): Promise<Answer> =>
    ask({ name: `fwk.memory.${statement}`, text, values: [keyOf(app, name, key), ...values] });
  return {
    async get(key) {
      const [row] = (await query('get', GET, key)).rows;
      return row && { fields: fieldsOf(row.fields), left: Number(row.left) };
    },
    async put(key, fields, maxAge, only) {
      const values = [textOf(fields), maxAge];
      const { rowCount } =
        only === 'new'
          ? await query('new', PUT_NEW, key, ...values)
          : only === 'existing'
            ? await query('existing', PUT_EXISTING, key, ...values)
            : await query('put', PUT, key, ...values);
      return rowCount === 1;
    },
    async take(key) {
      const fields = (await query('take', TAKE, key)).rows[0]?.fields;
      return typeof fields === 'string' ? fieldsOf(fields) : undefined;
    },
    async add(key, amount, maxAge) {
      const [row] = (await query('add', ADD, key, amount, maxAge)).rows;
      return Number(row?.sum);
    },
  };
}

/** The maximum size of a key. An index entry of PostgreSQL can have about 2,700 bytes. */
const MAX_KEY_BYTES = 1_000;

/** Joins names into a unique key without NUL, which PostgreSQL cannot store. A long key is replaced by its digest. */
export function keyOf(...names: readonly string[]): string {
  const key = JSON.stringify(names);
  return Buffer.byteLength(key) <= MAX_KEY_BYTES ? key : createHash('sha256').update(key).digest('hex');
}

const LEASE_END = `now() + $3::float8 * interval '1 millisecond'`;

// Generated while the row is locked, so the token is greater than all earlier ones. Unlike other writes, it waits for the disk.
const ACQUIRE = `INSERT INTO fwk.lock AS l (name, holder, token, until) VALUES ($1, $2, nextval('fwk.token'), ${LEASE_END})
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = nextval('fwk.token'), until = excluded.until
    WHERE l.until <= now()
  RETURNING token::text AS token, set_config('synchronous_commit', 'on', true)`;

const RENEW = `UPDATE fwk.lock SET until = ${LEASE_END} WHERE name = $1 AND holder = $2 AND until > now()`;

// The row stays for the next holder, and is swept out later if it is not used.
const RELEASE = `UPDATE fwk.lock SET until = now() WHERE name = $1 AND holder = $2`;

/** The locks of one app. They are rows instead of PostgreSQL's advisory locks, because those end with the connection. */
export function leaseStoreOf(app: string, ask: Ask): LeaseStore {
  return {
    async acquire(name, holder, lease) {
      const [row] = (
        await ask({ name: 'fwk.lock.acquire', text: ACQUIRE, values: [keyOf(app, name), holder, lease] })
      ).rows;
      return row && Number(row.token);
    },
    async renew(name, holder, lease) {
      const values = [keyOf(app, name), holder, lease];
      return (await ask({ name: 'fwk.lock.renew', text: RENEW, values })).rowCount === 1;
    },
    release: (name, holder) =>
      ask({ name: 'fwk.lock.release', text: RELEASE, values: [keyOf(app, name), holder] }),
  };
}

// jsonb accepts neither NUL nor lone surrogates. NUL is escaped, and a lone surrogate is replaced by U+FFFD, as in UTF-8.

const NUL = '\0';
const ESCAPE = '\x01';
const ESCAPED_NUL = `${ESCAPE}0`;
const ESCAPED_ESCAPE = `${ESCAPE}1`;
const HALF_PAIR = /\p{Surrogate}/gu;

const textOf = (fields: Fields): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [storable(name), storable(value)])),
  );

function fieldsOf(text: unknown): Fields {
  const stored: unknown = JSON.parse(String(text));
  if (!isObject(stored)) return {};
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [original(name), original(String(value))]),
  );
}

function storable(text: string): string {
  const whole = text.replace(HALF_PAIR, '\ufffd');
  if (!whole.includes(NUL) && !whole.includes(ESCAPE)) return whole;
  return whole.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll(NUL, ESCAPED_NUL);
}

function original(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPED_NUL, NUL).replaceAll(ESCAPED_ESCAPE, ESCAPE);
}
