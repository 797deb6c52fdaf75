/** One statement per table, without effect if the table exists. */
export const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS accounts (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE,
    name TEXT NOT NULL,
    password TEXT NOT NULL,
    admin INTEGER NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE IF NOT EXISTS authors (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  )`,
  `CREATE TABLE IF NOT EXISTS books (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    author INTEGER NOT NULL REFERENCES authors,
    year INTEGER NOT NULL,
    cents INTEGER NOT NULL,
    blurb TEXT NOT NULL,
    featured INTEGER NOT NULL DEFAULT 0
  )`,
  `CREATE TABLE IF NOT EXISTS covers (
    book INTEGER PRIMARY KEY REFERENCES books ON DELETE CASCADE,
    type TEXT NOT NULL,
    base64 TEXT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS reviews (
    id INTEGER PRIMARY KEY,
    book INTEGER NOT NULL REFERENCES books ON DELETE CASCADE,
    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
    rating INTEGER NOT NULL,
    text TEXT NOT NULL
  )`,
];
