import { z } from 'zod';

/** The body of the shop's own errors: one sentence for the caller. */
export const Sentence = z.object({ message: z.string() });
