import { z } from 'zod';

const Facts = z.object({
  title: z.string().trim().min(1).max(200),
  author: z.string().trim().min(1).max(200),
  year: z.int().min(1).max(2100),
  cents: z.int().min(0).max(1_000_000).describe('The price'),
  blurb: z.string().trim().min(1).max(2000),
  featured: z.boolean(),
});

/** The data of a book for sale. */
export const NewBook = Facts.extend({
  blurb: Facts.shape.blurb.default('No description yet.'),
  featured: Facts.shape.featured.default(false),
});
export type NewBook = z.infer<typeof NewBook>;

/** Changes to a book: omitted fields keep their value. */
export const BookChange = Facts.partial();
export type BookChange = z.infer<typeof BookChange>;

export const Book = Facts.extend({
  id: z.int(),
  slug: z.string().describe('Its name in the address of its page'),
});
export type Book = z.infer<typeof Book>;
