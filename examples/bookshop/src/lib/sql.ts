import Database from 'libsql';

type Value = string | number | null;

/** An open SQLite file. */
export interface Sql {
  /** All rows of a query. The caller declares their type. */
  all<Row>(query: string, ...values: Value[]): Row[];
  /** The first row, if any. */
  first<Row>(query: string, ...values: Value[]): Row | undefined;
  /** Runs a statement and returns the number of changed rows. */
  run(statement: string, ...values: Value[]): number;
  /** Runs `work` in a transaction. */
  together<T>(work: () => T): T;
  close(): void;
}

export function openSql(file: string): Sql {
  const db = new Database(file);
  // Another process, or the previous version during a reload, may be writing: wait for it instead of failing.
  db.pragma('busy_timeout = 5000');
  db.pragma('journal_mode = WAL');
  db.pragma('foreign_keys = ON');

  const all = <Row>(query: string, ...values: Value[]) => db.prepare(query).all(...values) as Row[];
  return {
    all,
    first: <Row>(query: string, ...values: Value[]) => all<Row>(query, ...values)[0],
    run: (statement, ...values) => db.prepare(statement).run(...values).changes,
    together: (work) => db.transaction(work).immediate(),
    close: () => void db.close(),
  };
}
