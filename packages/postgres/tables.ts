import { BootError } from 'fwkit/plugin';
import type { PostgresClient } from './client.js';
import type { Ask } from './stores.js';

/** Any number, the same in all processes of all apps: those that make tables at one time would meet in PostgreSQL's own. */
const MAKING_TABLES = 7_105_321;

/** What may be lost with a crash of PostgreSQL has no log (UNLOGGED): messages that are on their way. Sessions and locks stay. */
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

/**
 * Of each new connection: a write does not wait until it is on disk, but for a lock. Whatever a role or a database has as its own
 * default, statements are single steps here.
 */
const SETTINGS = `SET synchronous_commit = off; SET default_transaction_isolation = 'read committed'`;

const CHECK = `SELECT current_setting('server_encoding') AS encoding,
  (SELECT count(to_regclass('fwk.' || name)) FROM unnest('{${NAMES.join()}}'::text[]) AS names (name))::text AS tables`;

/** Have the tables there. Throws BootError where somebody else has to make them. */
export async function prepareTables(client: PostgresClient, migrate: boolean): Promise<void> {
  await client.query({ text: SETTINGS });
  const [found] = (await client.query({ text: CHECK })).rows;
  if (found?.encoding !== 'UTF8')
    throw new BootError({
      message: `postgres({ client }) connects to a database in ${found?.encoding}, which has not all characters. Make one with ENCODING 'UTF8'.`,
      code: 'FWK822',
    });
  if (Number(found.tables) === NAMES.length) return;
  if (!migrate)
    throw new BootError({
      message:
        'postgres({ migrate: false }) finds no tables of fwk in this database. Make them with this, and start again:',
      excerpt: TABLES,
      code: 'FWK823',
    });
  await client.query({ text: `BEGIN; SELECT pg_advisory_xact_lock(${MAKING_TABLES}); ${TABLES} COMMIT` });
}

/** How often each process looks for what is over, in milliseconds. */
export const SWEEP_INTERVAL_MS = 60_000;
/** How many rows of a table go in one statement. */
const BATCH = 1_000;

/** What is deleted, by table: its key, and when a row of it is over. Nobody waits for a row that another one sweeps out. */
const OVER = {
  memory: { key: 'key', when: 'until < now()' },
  // Tokens grow without it.
  lock: { key: 'name', when: "until < now() - interval '1 hour'" },
  // Whoever is there has read it at once.
  message: { key: '(sender, number)', when: "at < now() - interval '1 minute'" },
} as const;

/** Delete what is over. Never rejects. */
export async function sweep(ask: Ask): Promise<void> {
  try {
    for (const [table, { key, when }] of Object.entries(OVER)) {
      const columns = key.replace(/[()]/g, '');
      const text = `DELETE FROM fwk.${table} WHERE ${key} IN
        (SELECT ${columns} FROM fwk.${table} WHERE ${when} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;
      while ((await ask({ name: `fwk.sweep.${table}`, text })).rowCount === BATCH);
    }
  } catch {
    // PostgreSQL is away: there is time.
  }
}
