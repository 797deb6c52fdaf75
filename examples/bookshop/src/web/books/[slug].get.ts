import { type CloveRequest, get, view } from 'fwkit';

export default get((req: CloveRequest<'/books/:slug'>, _res, ctx) => {
  const book = ctx.catalogue.bookAt(req.params.slug);
  return book ? view('book', { visitor: ctx.visitor, book, reviews: ctx.reviews.of(book.id) }) : null;
});
