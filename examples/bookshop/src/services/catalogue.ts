import { service } from 'fwkit';
import type { Book, BookChange, NewBook } from '../lib/book.js';

type BookRow = Omit<Book, 'featured'> & { featured: 0 | 1 };

const toBook = (row: BookRow): Book => ({ ...row, featured: row.featured === 1 });

const SELECT = `SELECT books.id, slug, title, authors.name AS author, year, cents, blurb, featured
  FROM books JOIN authors ON authors.id = books.author`;

/** Books and their authors. */
export default service(({ database }) => {
  const books = (rest: string, ...values: (string | number)[]) =>
    database.all<BookRow>(`${SELECT} ${rest}`, ...values).map(toBook);

  const authorId = (name: string): number => {
    database.run('INSERT OR IGNORE INTO authors (name) VALUES (?)', name);
    return database.first<{ id: number }>('SELECT id FROM authors WHERE name = ?', name)?.id ?? 0;
  };

  return {
    /** Returns a page of the books whose title or author contains `search`, and their total number. */
    search({ search = '', page = 1, size = 20 }) {
      const matches = 'WHERE instr(lower(title || char(10) || authors.name), lower(?)) > 0';
      const found = books(`${matches} ORDER BY title LIMIT ? OFFSET ?`, search, size, (page - 1) * size);
      const { total = 0 } =
        database.first<{ total: number }>(
          `SELECT count(*) AS total FROM books JOIN authors ON authors.id = books.author ${matches}`,
          search,
        ) ?? {};
      return { books: found, total };
    },

    featured: () => books('WHERE featured = 1 ORDER BY title'),
    book: (id: number) => books('WHERE books.id = ?', id)[0],
    bookAt: (slug: string) => books('WHERE slug = ?', slug)[0],

    /** Adds a book. Returns undefined if another book already has the address of its page. */
    add(book: NewBook): Book | undefined {
      const { title, author, year, cents, blurb, featured } = book;
      const slug =
        title
          .toLowerCase()
          .match(/[\p{L}\p{N}]+/gu)
          ?.join('-') ?? 'untitled';
      return database.together(() => {
        const added = database.run(
          `INSERT OR IGNORE INTO books (slug, title, author, year, cents, blurb, featured)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          ...[slug, title, authorId(author), year, cents, blurb, Number(featured)],
        );
        return added === 0 ? undefined : books('WHERE slug = ?', slug)[0];
      });
    },

    /** Changes the data of a book, except for its address. Returns undefined if the book doesn't exist. */
    change(id: number, change: BookChange): Book | undefined {
      return database.together(() => {
        const before = books('WHERE books.id = ?', id)[0];
        if (!before) return undefined;
        const { title = before.title, author = before.author, year = before.year } = change;
        const { cents = before.cents, blurb = before.blurb, featured = before.featured } = change;
        database.run(
          'UPDATE books SET title = ?, author = ?, year = ?, cents = ?, blurb = ?, featured = ? WHERE id = ?',
          ...[title, authorId(author), year, cents, blurb, Number(featured), id],
        );
        return books('WHERE books.id = ?', id)[0];
      });
    },

    /** Deletes a book with its reviews. Returns whether it existed. */
    remove: (id: number) => database.run('DELETE FROM books WHERE id = ?', id) > 0,

    count: () => ({
      books: database.first<{ n: number }>('SELECT count(*) AS n FROM books')?.n ?? 0,
      authors: database.first<{ n: number }>('SELECT count(*) AS n FROM authors')?.n ?? 0,
    }),
  };
});
