import { error, post } from 'fwkit';
import { Book, NewBook } from '../../../lib/book.js';
import { Sentence } from '../../../lib/sentence.js';

export default post(
  { title: 'Sell a new book', body: NewBook, response: { 201: Book }, errors: { 409: Sentence } },
  ({ body }, res, ctx) => {
    const book = ctx.catalogue.add(body);
    if (!book) return error(409, { message: 'A book with this title already exists. Choose another title.' });
    res.status(201).header('Location', `/api/v1/books/${book.id}`);
    return book;
  },
).meta({ audit: 'added a book' });
