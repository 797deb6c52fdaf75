import { service } from 'fwkit';

/** A picture of a book. */
export interface Cover {
  /** Media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Cover pictures, one per book. Stored as text, because the driver doesn't support bytes. */
export default service(({ database }) => ({
  of(book: number): Cover | undefined {
    const row = database.first<{ type: string; base64: string }>(
      'SELECT type, base64 FROM covers WHERE book = ?',
      book,
    );
    return row && { type: row.type, bytes: Buffer.from(row.base64, 'base64') };
  },

  has: (book: number) => database.first('SELECT 1 FROM covers WHERE book = ?', book) !== undefined,

  /** Stores the cover of a book, and replaces the previous one. */
  put(book: number, { type, bytes }: Cover): void {
    const keep = 'ON CONFLICT (book) DO UPDATE SET type = excluded.type, base64 = excluded.base64';
    const base64 = Buffer.from(bytes).toString('base64');
    database.run(`INSERT INTO covers (book, type, base64) VALUES (?, ?, ?) ${keep}`, book, type, base64);
  },
}));
