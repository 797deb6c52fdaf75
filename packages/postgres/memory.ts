import type { SharedMemory } from 'fwkit/plugin';
import type { Answer, Query } from './client.js';
import { fieldsOf, textOf } from './fields.js';
import { keyOf } from './key.js';

/** Asks PostgreSQL. Rejects with Unavailable. */
export type Ask = (query: Query) => Promise<Answer>;

// Each is one step: a row is locked by who changes it, and is looked at again when another has changed it.

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

/** The memory of a name, of one app. */
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
