import { error, type HttpRequest, post } from 'fwkit';
import { readFields, readText, readWhole } from '../../../../lib/input.js';

export default post((req: HttpRequest<'/api/v1/books/:id/reviews'>, res, ctx) => {
  const { member } = ctx;
  const book = ctx.catalogue.book(Number(req.params.id));
  if (!book) throw error(404, { message: 'There is no such book.' });

  const fields = readFields(req.body);
  const rating = readWhole(fields, 'rating', { min: 1, max: 5 });
  const text = readText(fields, 'text', { max: 1000 });

  res.status(201);
  return ctx.reviews.add(book.id, member.id, { rating, text });
});
