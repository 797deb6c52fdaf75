import { get, type HttpRequest, view } from 'fwkit';

export default get((req: HttpRequest<'/books/:slug/review'>, res, ctx) => {
  const { visitor } = ctx;
  if (!visitor) return res.redirect('/login', 303);
  const book = ctx.catalogue.bookAt(req.params.slug);
  return book ? view('review', { visitor, book }) : null;
});
