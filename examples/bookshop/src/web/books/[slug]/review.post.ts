import { error, post } from 'fwkit';
import { z } from 'zod';
import { NewReview } from '../../../lib/review.js';

export default post({ params: z.object({ slug: z.string() }), body: NewReview }, (req, res, ctx) => {
  const { visitor } = ctx;
  if (!visitor) return res.redirect('/login', 303);
  const book = ctx.catalogue.bookAt(req.params.slug);
  if (!book) return error(404, { message: 'There is no such book.' });

  ctx.reviews.add(book.id, visitor.id, req.body);
  ctx.flash.push('Thank you for your review.');
  return res.redirect(`/books/${encodeURIComponent(book.slug)}`, 303);
}).meta({ form: true });
