import { error, type HttpRequest, patch } from 'fwkit';
import { readBook } from '../../../../lib/book-input.js';
import { readFields } from '../../../../lib/input.js';

/** What the body leaves out stays as it is. */
export default patch((req: HttpRequest<'/api/v1/admin/books/:id'>, _res, ctx) => {
  const book = ctx.catalogue.book(Number(req.params.id));
  if (!book) throw error(404, { message: 'There is no such book.' });
  return ctx.catalogue.change(book.id, readBook({ ...book, ...readFields(req.body) }));
}).meta({ audit: 'changed a book' });
