import { get } from 'fwkit';
import { z } from 'zod';
import { Review } from '../../../../lib/review.js';

export default get(
  {
    title: 'The reviews of a book',
    params: z.object({ id: z.int() }),
    response: z.object({ reviews: z.array(Review) }),
  },
  ({ params }, _res, ctx) => {
    const book = ctx.catalogue.book(params.id);
    return book ? { reviews: ctx.reviews.of(book.id) } : null;
  },
);
