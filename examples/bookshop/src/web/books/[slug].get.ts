import { get, type HttpRequest, view } from 'fwkit';

export default get((req: HttpRequest<'/books/:slug'>, _res, ctx) => {
  const book = ctx.catalogue.bookAt(req.params.slug);
  if (!book) return null;
  const cover = ctx.covers.has(book.id);
  return view('book', { visitor: ctx.visitor, book, cover, reviews: ctx.reviews.of(book.id) });
});
