import { error, post, view } from 'fwkit';
import { z } from 'zod';
import { readReview, TypedReview } from '../../../lib/review-form.js';

export default post({ params: z.object({ slug: z.string() }), body: TypedReview }, (req, res, ctx) => {
  const { visitor } = ctx;
  if (!visitor) return res.redirect('/login', 303);
  const book = ctx.catalogue.bookAt(req.params.slug);
  if (!book) return error(404, { message: 'There is no such book.' });

  const { review, errors } = readReview(req.body);
  if (!review) {
    res.status(400);
    return view('review', { visitor, book, typed: req.body, errors });
  }
  ctx.reviews.add(book.id, visitor.id, review);
  return res.redirect(`/books/${encodeURIComponent(book.slug)}`, 303);
});
