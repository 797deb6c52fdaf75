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
export default service(({ database }) => {
  const listeners = new Map<(review: Review) => void, number>();
  return {
    of: (book: number) => database.all<Review>(`${SELECT} WHERE book = ? ORDER BY reviews.id`, book),

    one: (book: number, id: number) =>
      database.first<Review>(`${SELECT} WHERE book = ? AND reviews.id = ?`, book, id),

    add(
      book: number,
      account: number,
      { rating, text }: Pick<Review, 'rating' | 'text'>,
    ): Review | undefined {
      const added = database.together(() => {
        database.run(
          'INSERT INTO reviews (book, account, rating, text) VALUES (?, ?, ?, ?)',
          ...[book, account, rating, text],
        );
        return database.first<Review>(`${SELECT} WHERE reviews.id = last_insert_rowid()`);
      });
      for (const [listener, at] of listeners) if (added && at === book) listener(added);
      return added;
    },

    /** Have `listener` called with each new review of a book. Returns a function that ends it. */
    subscribe(book: number, listener: (review: Review) => void): () => void {
      listeners.set(listener, book);
      return () => void listeners.delete(listener);
    },

    count: () => database.first<{ n: number }>('SELECT count(*) AS n FROM reviews')?.n ?? 0,
  };
});
