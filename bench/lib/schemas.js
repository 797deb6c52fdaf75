import { z } from 'zod';

/** The request body of the scenario `checked`, for subjects with a zod schema. */
export const ORDER = z.object({
  title: z.string().min(1),
  author: z.object({ name: z.string(), email: z.string() }),
  tags: z.array(z.string()),
  price: z.number().min(0),
});
