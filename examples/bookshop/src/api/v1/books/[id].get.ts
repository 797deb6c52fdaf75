import { get, type HttpRequest } from 'fwkit';

/** Null from a GET handler is 404. */
export default get(
  (req: HttpRequest<'/api/v1/books/:id'>, _res, ctx) => ctx.catalogue.book(Number(req.params.id)) ?? null,
);
