import type { Roster } from 'fwkit/plugin';
import { type Ask, keyOf } from './stores.js';

/** For how long the shares of a process count that says nothing, in seconds. It says so each third of that. */
const PROCESS_SECONDS = 30;
export const PRESENCE_INTERVAL_MS = (PROCESS_SECONDS * 1_000) / 3;

const UNTIL = `now() + ${PROCESS_SECONDS} * interval '1 second'`;

/** `is_new`: nothing of its shares is there. */
const BE_PRESENT = `INSERT INTO fwk.process AS p (id, until) VALUES ($1, ${UNTIL})
  ON CONFLICT (id) DO UPDATE SET until = excluded.until RETURNING (xmax = 0)::text AS is_new`;

const SET = `WITH present AS (INSERT INTO fwk.process (id, until) VALUES ($1, ${UNTIL})
    ON CONFLICT (id) DO UPDATE SET until = excluded.until),
  none AS (DELETE FROM fwk.share WHERE process = $1 AND key = ANY($2::text[]))
  INSERT INTO fwk.share (process, key, share) SELECT $1, key, share FROM unnest($3::text[], $4::bigint[]) AS rows (key, share)
  ON CONFLICT (key, process) DO UPDATE SET share = excluded.share`;

const SUM = `SELECT coalesce(sum(share), 0)::text AS sum FROM fwk.share JOIN fwk.process ON id = process
  WHERE key = $1 AND until > now()`;

/** All shares of it go with it. */
const LEAVE = 'DELETE FROM fwk.process WHERE id = $1';

/** The shares of this process, in all rosters of an app. */
export class Shares {
  readonly #app: string;
  readonly #process: string;
  readonly #ask: Ask;
  /** By key. */
  readonly #shares = new Map<string, number>();
  /** Keys of what has not been told yet. */
  #changed = new Set<string>();
  #telling: Promise<void> | undefined;
  /** Whether anything was told: then this process has a row. */
  #hasTold = false;

  constructor(app: string, process: string, ask: Ask) {
    this.#app = app;
    this.#process = process;
    this.#ask = ask;
  }

  roster(name: string): Roster {
    return {
      set: (shares) => {
        for (const [key, share] of shares) this.#set(keyOf(this.#app, name, key), share);
        this.tell();
      },
      sum: async (key) => {
        const values = [keyOf(this.#app, name, key)];
        const [row] = (await this.#ask({ name: 'fwk.roster.sum', text: SUM, values })).rows;
        return Number(row?.sum);
      },
    };
  }

  /** Say that this process is there, and all that it has where nobody knows of it. Never rejects. */
  async bePresent(): Promise<void> {
    try {
      if (this.#shares.size === 0) return this.tell();
      const values = [this.#process];
      const [row] = (await this.#ask({ name: 'fwk.roster.present', text: BE_PRESENT, values })).rows;
      if (String(row?.is_new).startsWith('t')) for (const key of this.#shares.keys()) this.#changed.add(key);
    } catch {
      // Asked again before its shares are over, or when PostgreSQL is back.
    }
    this.tell();
  }

  /** Tell what has changed. */
  tell(): void {
    this.#telling ??= this.#tellAll();
  }

  /** Say that this process is gone. Never rejects. */
  async leave(): Promise<void> {
    await this.#telling;
    if (!this.#hasTold) return;
    await this.#ask({ text: LEAVE, values: [this.#process] }).catch(() => {});
  }

  #set(key: string, share: number): void {
    if (share === 0) this.#shares.delete(key);
    else this.#shares.set(key, share);
    this.#changed.add(key);
  }

  async #tellAll(): Promise<void> {
    // What is set in one go is told in one.
    await undefined;
    while (this.#changed.size > 0) {
      const keys = [...this.#changed];
      this.#changed = new Set();
      const there = keys.filter((key) => this.#shares.has(key));
      const none = keys.filter((key) => !this.#shares.has(key));
      const values = [this.#process, none, there, there.map((key) => this.#shares.get(key))];
      this.#hasTold = true;
      try {
        await this.#ask({ name: 'fwk.roster.set', text: SET, values });
      } catch {
        for (const key of keys) this.#changed.add(key);
        break;
      }
    }
    this.#telling = undefined;
  }
}
