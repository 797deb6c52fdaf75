import { error, post } from 'fwkit';
import { readBook } from '../../../lib/book-input.js';

export default post((req, res, ctx) => {
  const book = ctx.catalogue.add(readBook(req.body));
  if (!book) throw error(409, { message: 'There is a book with that title. Choose another.' });
  res.status(201).header('Location', `/api/v1/books/${book.id}`);
  return book;
}).meta({ audit: 'added a book' });
