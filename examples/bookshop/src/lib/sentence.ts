import { z } from 'zod';

/** The body of the shop's own errors: one sentence for whoever called. */
export const Sentence = z.object({ message: z.string() });
