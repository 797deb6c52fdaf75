import { hashPassword } from './passwords.js';
import type { Sql } from './sql.js';

const ACCOUNTS = [
  { email: 'ada@example.com', name: 'Ada', password: 'analytical engine', admin: 1 },
  { email: 'bob@example.com', name: 'Bob', password: 'builder of sheds', admin: 0 },
];

const BOOKS = [
  ['Frankenstein', 'Mary Shelley', 1818, 990, 'A student makes a man, and will not look after him.', 1],
  ['The Last Man', 'Mary Shelley', 1826, 1250, 'A plague empties the world, one friend at a time.', 0],
  ['Middlemarch', 'George Eliot', 1871, 1490, 'A provincial town, and everyone who meant well in it.', 1],
  ['Silas Marner', 'George Eliot', 1861, 850, 'A weaver loses his gold and finds a child.', 0],
  [
    'Bleak House',
    'Charles Dickens',
    1853,
    1390,
    'A lawsuit so long that nobody alive knows what it means.',
    0,
  ],
  ['Flatland', 'Edwin A. Abbott', 1884, 690, 'A square tells of the third dimension; nobody believes it.', 1],
] as const;

/** Fills an empty shop. The passwords are in the README, because this is a demo. */
export async function seed(sql: Sql): Promise<void> {
  const accounts = await Promise.all(
    ACCOUNTS.map(async (account) => ({ ...account, password: await hashPassword(account.password) })),
  );
  sql.together(() => {
    // Another process may have filled the shop in the meantime.
    if (sql.first('SELECT id FROM accounts')) return;
    for (const { email, name, password, admin } of accounts)
      sql.run(
        'INSERT INTO accounts (email, name, password, admin) VALUES (?, ?, ?, ?)',
        ...[email, name, password, admin],
      );
    for (const [title, author, ...rest] of BOOKS) {
      sql.run('INSERT OR IGNORE INTO authors (name) VALUES (?)', author);
      sql.run(
        `INSERT INTO books (slug, title, author, year, cents, blurb, featured)
         VALUES (?, ?, (SELECT id FROM authors WHERE name = ?), ?, ?, ?, ?)`,
        ...[title.toLowerCase().replaceAll(' ', '-'), title, author, ...rest],
      );
    }
    sql.run(
      'INSERT INTO reviews (book, account, rating, text) VALUES (1, 2, 5, ?)',
      'The monster reads better books than I do.',
    );
  });
}
