import { BootError } from 'fwkit/plugin';
import type { PostgresClient } from './client.js';
import type { Ask } from './stores.js';

/** The advisory lock for creating tables, the same in all apps: concurrent CREATE statements would conflict in PostgreSQL's catalog. */
const TABLES_LOCK = 7_105_321;

/** Only the messages are in an UNLOGGED table, because they may be lost in a crash of PostgreSQL. Sessions and locks survive it. */
export const TABLES = `CREATE SCHEMA IF NOT EXISTS fwk;

CREATE TABLE IF NOT EXISTS fwk.memory (
  key text PRIMARY KEY, fields jsonb NOT NULL, until timestamptz NOT NULL);
CREATE INDEX IF NOT EXISTS memory_until ON fwk.memory (until);

CREATE SEQUENCE IF NOT EXISTS fwk.token;
CREATE TABLE IF NOT EXISTS fwk.lock (
  name text PRIMARY KEY, holder uuid NOT NULL, token bigint NOT NULL, until timestamptz NOT NULL);
CREATE INDEX IF NOT EXISTS lock_until ON fwk.lock (until);

CREATE UNLOGGED TABLE IF NOT EXISTS fwk.message (
  sender text, number bigint, text text NOT NULL, at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (sender, number));
CREATE INDEX IF NOT EXISTS message_at ON fwk.message (at);
`;

const NAMES = ['memory', 'token', 'lock', 'message'];

/** The settings of each new connection. Only locks wait until they are on disk. A role may default to another isolation level. */
const SETTINGS = `SET synchronous_commit = off; SET default_transaction_isolation = 'read committed'`;

const CHECK = `SELECT current_setting('server_encoding') AS encoding,
  (SELECT count(to_regclass('fwk.' || name)) FROM unnest('{${NAMES.join()}}'::text[]) AS names (name))::text AS tables`;

/** Create missing tables. Throws BootError if they are missing and `migrate` is false. */
export async function prepareTables(client: PostgresClient, migrate: boolean): Promise<void> {
  await client.query({ text: SETTINGS });
  const [found] = (await client.query({ text: CHECK })).rows;
  if (found?.encoding !== 'UTF8')
    throw new BootError({
      message: `postgres({ client }) connects to a database with the encoding ${found?.encoding}, which cannot store all characters. Create a database with ENCODING 'UTF8'.`,
      code: 'FWK822',
    });
  if (Number(found.tables) === NAMES.length) return;
  if (!migrate)
    throw new BootError({
      message:
        'The database lacks the tables of fwk, and postgres({ migrate: false }) does not create them. Run these statements, then restart the app:',
      excerpt: TABLES,
      code: 'FWK823',
    });
  await client.query({ text: `BEGIN; SELECT pg_advisory_xact_lock(${TABLES_LOCK}); ${TABLES} COMMIT` });
}

/** How often each process deletes expired rows, in milliseconds. */
export const SWEEP_INTERVAL_MS = 60_000;
/** The maximum number of rows per DELETE statement. */
const BATCH = 1_000;

/** By table: its key, and the condition for deleting a row. SKIP LOCKED skips rows that another process is deleting. */
const OVER = {
  memory: { key: 'key', when: 'until < now()' },
  // Tokens come from a sequence, so they keep growing without the row.
  lock: { key: 'name', when: "until < now() - interval '1 hour'" },
  // Connected processes read a message immediately.
  message: { key: '(sender, number)', when: "at < now() - interval '1 minute'" },
} as const;

/** Delete expired rows. Never rejects. */
export async function sweep(ask: Ask): Promise<void> {
  try {
    for (const [table, { key, when }] of Object.entries(OVER)) {
      const columns = key.replace(/[()]/g, '');
      const text = `DELETE FROM fwk.${table} WHERE ${key} IN
        (SELECT ${columns} FROM fwk.${table} WHERE ${when} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
      while ((await ask({ name: `fwk.sweep.${table}`, text })).rowCount === BATCH);
    }
  } catch {
    // PostgreSQL is unavailable. The next sweep tries again.
  }
}
