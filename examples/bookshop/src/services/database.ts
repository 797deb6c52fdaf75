import { resolve } from 'node:path';
import { service } from 'fwkit';
import { SCHEMA } from '../lib/schema.js';
import { seed } from '../lib/seed.js';
import { openSql } from '../lib/sql.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** The SQLite file from the environment variable `DATABASE`. A missing file is created and filled. */
export default service(async (_ctx, { onDestroy }) => {
  const sql = openSql(resolve(ROOT, process.env.DATABASE ?? 'bookshop.db'));
  onDestroy(() => sql.close());
  for (const statement of SCHEMA) sql.run(statement);
  if (!sql.first('SELECT id FROM accounts')) await seed(sql);
  return sql;
});
