import { get, view } from 'fwkit';

export default get((_req, _res, ctx) =>
  view('admin', { visitor: ctx.visitor, ...ctx.catalogue.count(), reviews: ctx.reviews.count() }),
);
