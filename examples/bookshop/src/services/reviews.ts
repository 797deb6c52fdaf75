import { service } from 'fwkit';

export interface Review {
  readonly id: number;
  /** Name of the account that wrote it. */
  readonly by: string;
  /** 1 to 5. */
  readonly rating: number;
  readonly text: string;
}

const SELECT = `SELECT reviews.id, accounts.name AS "by", rating, text
  FROM reviews JOIN accounts ON accounts.id = reviews.account`;

/** What readers say of books. */
export default service(({ database }) => ({
  of: (book: number) => database.all<Review>(`${SELECT} WHERE book = ? ORDER BY reviews.id`, book),

  one: (book: number, id: number) =>
    database.first<Review>(`${SELECT} WHERE book = ? AND reviews.id = ?`, book, id),

  add(book: number, account: number, { rating, text }: Pick<Review, 'rating' | 'text'>): Review | undefined {
    return database.together(() => {
      database.run(
        'INSERT INTO reviews (book, account, rating, text) VALUES (?, ?, ?, ?)',
        ...[book, account, rating, text],
      );
      return database.first<Review>(`${SELECT} WHERE reviews.id = last_insert_rowid()`);
    });
  },

  count: () => database.first<{ n: number }>('SELECT count(*) AS n FROM reviews')?.n ?? 0,
}));
