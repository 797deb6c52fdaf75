import { error, sse } from 'fwkit';
import { z } from 'zod';
import { Review } from '../../../lib/review.js';

/** New reviews of a book as they are written; `after` is the last review on the page. */
export default sse(
  {
    params: z.object({ slug: z.string() }),
    query: z.object({ after: z.int().default(0) }),
    events: { review: Review },
  },
  async ({ params, req, ctx, emit, lastEventId }) => {
    const book = ctx.catalogue.bookAt(params.slug);
    if (!book) throw error(404, { message: 'There is no such book.' });
    const show = (review: Review) => emit('review', review, { id: String(review.id) });
    const stop = ctx.reviews.subscribe(book.id, show);
    // A browser that reconnects, or a page that was still loading, has missed some reviews.
    const after = Number(lastEventId ?? req.query.after);
    for (const review of ctx.reviews.of(book.id)) if (review.id > after) await show(review);
    return stop;
  },
);
