import { error, post } from 'fwkit';
import { z } from 'zod';
import { NewReview, Review } from '../../../../lib/review.js';
import { Sentence } from '../../../../lib/sentence.js';

export default post(
  {
    title: 'Review a book',
    description: 'Writes a review of a book with the logged-in account.',
    params: z.object({ id: z.int() }),
    body: NewReview,
    response: { 201: Review },
    errors: { 401: Sentence, 404: Sentence },
    tool: { name: 'reviewBook' },
  },
  ({ params, body }, res, ctx) => {
    const { member } = ctx;
    const book = ctx.catalogue.book(params.id);
    if (!book) return error(404, { message: 'There is no such book.' });
    res.status(201);
    return ctx.reviews.add(book.id, member.id, body);
  },
);
