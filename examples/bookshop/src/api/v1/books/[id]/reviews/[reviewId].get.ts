import { get, type HttpRequest } from 'fwkit';

export default get((req: HttpRequest<'/api/v1/books/:id/reviews/:reviewId'>, _res, ctx) => {
  const { id, reviewId } = req.params;
  return ctx.reviews.one(Number(id), Number(reviewId)) ?? null;
});
