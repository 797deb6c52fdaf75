import { type CloveRequest, get } from 'fwkit';

export default get((req: CloveRequest<'/api/v1/books/:id/reviews'>, _res, ctx) => {
  const book = ctx.catalogue.book(Number(req.params.id));
  return book ? { reviews: ctx.reviews.of(book.id) } : null;
});
