import type { Logger } from 'fwkit';
import { Outage } from 'fwkit/peers';
import { BootError, coded, isObject, messageOf, settledWithin } from 'fwkit/plugin';
import type { Transaction } from './options.js';
import type { NewJob } from './producers.js';

interface Client {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly { job: string }[] }>;
  /** `true` closes the connection. */
  release(isBroken?: boolean): void;
}

/** The members of a `Pool` of `pg` that are used here. */
interface Pool {
  connect(): Promise<Client>;
  end(): Promise<void>;
  on(event: 'error', heard: () => void): unknown;
}

const TABLE = `CREATE SCHEMA IF NOT EXISTS fwk;
CREATE TABLE IF NOT EXISTS fwk.outbox (id bigserial PRIMARY KEY, app text NOT NULL, job json NOT NULL);`;
/** The advisory lock for creating the table: concurrent CREATE statements would conflict in PostgreSQL's catalog. */
const TABLE_LOCK = 7_105_322;
const STORE = 'INSERT INTO fwk.outbox (app, job) SELECT $1, value FROM json_array_elements($2::json)';
const BATCH = 500;
const TAKE = `WITH taken AS (DELETE FROM fwk.outbox WHERE id IN
  (SELECT id FROM fwk.outbox WHERE app = $1 ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) RETURNING id, job)
  SELECT job::text FROM taken ORDER BY id`;
/** The pause between two looks at the table, in milliseconds. */
const POLL_MS = 500;
/** How long one look at the table may take, in milliseconds. */
const LIMIT_MS = 10_000;

interface OutboxSettings {
  readonly app: string;
  /** Adds jobs of one queue to the broker. */
  readonly deliver: (jobs: readonly NewJob[]) => Promise<unknown>;
}

/** Stores jobs in a table, within transactions of the project, and adds them to the broker after the commit. */
export class Outbox {
  readonly #outage = new Outage({
    what: 'queues: the outbox',
    meanwhile: 'its jobs wait in the table',
    logger: () => this.logger,
  });
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;
  #working: Promise<void> = Promise.resolve();

  private constructor(
    private readonly pool: Pool,
    private readonly settings: OutboxSettings,
    private readonly logger: Logger,
  ) {
    // A connection that breaks while it is idle is replaced.
    pool.on('error', () => {});
  }

  /** Create the table if it is missing. Throws BootError if that fails. */
  static async open(make: () => unknown, settings: OutboxSettings, logger: Logger): Promise<Outbox> {
    const pool: unknown = await make();
    if (!isObject(pool) || typeof pool.connect !== 'function' || !('totalCount' in pool))
      throw refusal('returned no Pool of pg');
    const outbox = new Outbox(pool as typeof pool & Pool, settings, logger);
    try {
      await outbox.#with(async (client) => {
        const { rows } = await client.query("SELECT to_regclass('fwk.outbox')::text AS job");
        if (!rows[0]?.job)
          await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${TABLE_LOCK}); ${TABLE} COMMIT`);
      });
    } catch (cause) {
      await outbox.close();
      throw refusal(`cannot be used: ${messageOf(cause)}`);
    }
    return outbox;
  }

  /** Store jobs in a transaction. Resolves with their ids. */
  async store(transaction: Transaction, jobs: readonly NewJob[]): Promise<string[]> {
    const query: unknown = typeof transaction === 'function' ? transaction : Object(transaction).query;
    if (typeof query !== 'function' || 'totalCount' in transaction)
      throw coded(
        'FWK838',
        'The option "transaction" must be the client of pg on which you have sent BEGIN, or a function (text, values) that runs a statement in the transaction. A Pool uses another connection for each statement.',
      );
    // With an id, a delivery that is repeated after a crash adds no second job.
    const stored = jobs.map((job) => ({ ...job, id: job.id ?? crypto.randomUUID() }));
    await Reflect.apply(query, transaction, [STORE, [this.settings.app, JSON.stringify(stored)]]);
    return stored.map(({ id }) => id);
  }

  /** Begin to deliver. Each process may: a row is locked while one of them delivers it. */
  start(): void {
    if (!this.#timer && !this.#isEnding) this.#next(0);
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    await this.#working;
    await settledWithin(this.pool.end(), LIMIT_MS);
  }

  #next(pause: number): void {
    const look = async (): Promise<void> => {
      let count = 0;
      try {
        count = await this.#with((client) => this.#deliver(client));
        this.#outage.end(() => '');
      } catch (cause) {
        this.#outage.begin(messageOf(cause));
      }
      if (!this.#isEnding) this.#next(count === BATCH ? 0 : POLL_MS);
    };
    this.#timer = setTimeout(() => (this.#working = look()), pause).unref();
  }

  async #deliver(client: Client): Promise<number> {
    await client.query('BEGIN');
    const { rows } = await client.query(TAKE, [this.settings.app]);
    const jobs = rows.map(({ job }) => JSON.parse(job) as NewJob);
    for (const queue of new Set(jobs.map((job) => job.queue)))
      await this.settings.deliver(jobs.filter((job) => job.queue === queue));
    await client.query('COMMIT');
    return jobs.length;
  }

  /** Close the connection if `work` fails or takes too long, which also rolls its transaction back. */
  async #with<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    const done = work(client);
    const isSettled = await settledWithin(done, LIMIT_MS);
    try {
      if (!isSettled) throw new Error(`no answer within ${LIMIT_MS} ms`);
      const result = await done;
      client.release();
      return result;
    } catch (cause) {
      client.release(true);
      throw cause;
    }
  }
}

const refusal = (problem: string): BootError =>
  new BootError({
    message: `queues({ outbox }) ${problem}. Use () => new Pool({ connectionString: process.env.DATABASE_URL }) of pg, and a role that may create the table, or create it yourself: ${TABLE.replaceAll('\n', ' ')}`,
    code: 'FWK839',
  });
