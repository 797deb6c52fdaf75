import { get } from 'fwkit';

export default get((_req, _res, ctx) => ({
  ...ctx.catalogue.count(),
  reviews: ctx.reviews.count(),
  accounts: ctx.accounts.count(),
}));
