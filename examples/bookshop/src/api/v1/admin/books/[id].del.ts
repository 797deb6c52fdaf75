import { del, error } from 'fwkit';
import { z } from 'zod';

export default del({ title: 'Remove a book', params: z.object({ id: z.int() }) }, ({ params }, _res, ctx) => {
  if (!ctx.catalogue.remove(params.id)) return error(404, { message: 'There is no such book.' });
}).meta({ audit: 'removed a book' });
