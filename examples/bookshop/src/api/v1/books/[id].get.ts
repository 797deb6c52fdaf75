import { type CloveRequest, get } from 'fwkit';

/** Null from a GET handler is 404. */
export default get(
  (req: CloveRequest<'/api/v1/books/:id'>, _res, ctx) => ctx.catalogue.book(Number(req.params.id)) ?? null,
);
