import { error, type HttpRequest, post, view } from 'fwkit';
import { readReviewForm } from '../../../lib/review-form.js';

export default post((req: HttpRequest<'/books/:slug/review'>, res, ctx) => {
  const { visitor } = ctx;
  if (!visitor) return res.redirect('/login', 303);
  const book = ctx.catalogue.bookAt(req.params.slug);
  if (!book) throw error(404, { message: 'There is no such book.' });

  const { typed, errors, isRight } = readReviewForm(req.body);
  if (!isRight) {
    res.status(400);
    return view('review', { visitor, book, typed, errors });
  }
  ctx.reviews.add(book.id, visitor.id, { rating: Number(typed.rating), text: typed.text });
  return res.redirect(`/books/${encodeURIComponent(book.slug)}`, 303);
});
