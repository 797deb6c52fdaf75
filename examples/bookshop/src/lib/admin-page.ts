import type { RuntimeCtx } from 'fwkit';

/** The admin's page. `errors` contains upload errors by the id of the book. */
export const adminPage = (
  { visitor, catalogue, reviews }: RuntimeCtx,
  errors: Readonly<Record<number, string>> = {},
) => ({
  visitor,
  ...catalogue.count(),
  reviews: reviews.count(),
  list: catalogue.search({ size: 1000 }).books,
  errors,
});
