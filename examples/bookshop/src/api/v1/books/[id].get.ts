import { get } from 'fwkit';
import { z } from 'zod';
import { Book } from '../../../lib/book.js';

/** Null from a GET handler is 404. */
export default get(
  {
    title: 'A book',
    description: 'Returns the data of a book.',
    params: z.object({ id: z.int() }),
    response: Book,
  },
  ({ params }, _res, ctx) => ctx.catalogue.book(params.id) ?? null,
);
