import { get } from 'fwkit';
import { z } from 'zod';
import { Book } from '../../../lib/book.js';

const Paging = z.object({
  page: z.int().min(1).max(10_000).default(1),
  size: z.int().min(1).max(100).default(20),
});

/** GET /api/v1/books?search=eliot&page=2&size=10 */
export default get(
  {
    title: 'Search books',
    query: Paging.extend({
      search: z.string().default('').describe('A part of the title or author; empty for all books'),
    }),
    response: Paging.extend({ books: z.array(Book), total: z.int() }),
  },
  ({ query }, _res, ctx) => {
    const { page, size } = query;
    return { ...ctx.catalogue.search(query), page, size };
  },
);
