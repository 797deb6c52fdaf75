import { del, error, type HttpRequest } from 'fwkit';

export default del((req: HttpRequest<'/api/v1/admin/books/:id'>, _res, ctx) => {
  if (!ctx.catalogue.remove(Number(req.params.id))) throw error(404, { message: 'There is no such book.' });
}).meta({ audit: 'removed a book' });
