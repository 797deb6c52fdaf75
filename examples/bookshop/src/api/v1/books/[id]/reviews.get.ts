import { get, type HttpRequest } from 'fwkit';

export default get((req: HttpRequest<'/api/v1/books/:id/reviews'>, _res, ctx) => {
  const book = ctx.catalogue.book(Number(req.params.id));
  return book ? { reviews: ctx.reviews.of(book.id) } : null;
});
