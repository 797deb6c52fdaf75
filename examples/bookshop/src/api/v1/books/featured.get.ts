import { get } from 'fwkit';
import { z } from 'zod';
import { Book } from '../../../lib/book.js';

/** A literal segment takes precedence over `[id].get.ts`. */
export default get(
  { title: 'Featured books', response: z.object({ books: z.array(Book) }) },
  (_req, _res, ctx) => ({ books: ctx.catalogue.featured() }),
);
