import { get, view } from 'fwkit';

/** The page at `/`. */
export default get((req, _res, ctx) => {
  const { search = '' } = req.query;
  const { books, total } = ctx.catalogue.search({ search, size: 100 });
  return view('home', { visitor: ctx.visitor, search, books, total });
});
