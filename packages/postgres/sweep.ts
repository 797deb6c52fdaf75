import type { Ask } from './memory.js';

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
  process: { key: 'id', when: 'until < now()' },
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
