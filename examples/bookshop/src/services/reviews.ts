import { service } from 'fwkit';
import type { NewReview, Review } from '../lib/review.js';

const SELECT = `SELECT reviews.id, accounts.name AS "by", rating, text
  FROM reviews JOIN accounts ON accounts.id = reviews.account`;

/** Readers' reviews of books. */
export default service(({ database }) => {
  const listeners = new Map<(review: Review) => void, number>();
  return {
    of: (book: number) => database.all<Review>(`${SELECT} WHERE book = ? ORDER BY reviews.id`, book),

    one: (book: number, id: number) =>
      database.first<Review>(`${SELECT} WHERE book = ? AND reviews.id = ?`, book, id),

    add(book: number, account: number, { rating, text }: NewReview): Review {
      const added = database.together(() => {
        database.run(
          'INSERT INTO reviews (book, account, rating, text) VALUES (?, ?, ?, ?)',
          ...[book, account, rating, text],
        );
        return database.first<Review>(`${SELECT} WHERE reviews.id = last_insert_rowid()`);
      });
      if (!added) throw new Error('the review that was written is not there');
      for (const [listener, at] of listeners) if (at === book) listener(added);
      return added;
    },

    /** Calls `listener` with each new review of a book. Returns a function that stops it. */
    subscribe(book: number, listener: (review: Review) => void): () => void {
      listeners.set(listener, book);
      return () => void listeners.delete(listener);
    },

    count: () => database.first<{ n: number }>('SELECT count(*) AS n FROM reviews')?.n ?? 0,
  };
});
