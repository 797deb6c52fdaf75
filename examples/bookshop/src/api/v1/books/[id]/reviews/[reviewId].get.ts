import { get } from 'fwkit';
import { z } from 'zod';
import { Review } from '../../../../../lib/review.js';

export default get(
  { title: 'A review', params: z.object({ id: z.int(), reviewId: z.int() }), response: Review },
  ({ params }, _res, ctx) => ctx.reviews.one(params.id, params.reviewId) ?? null,
);
