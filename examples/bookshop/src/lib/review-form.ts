import { z } from 'zod';
import { NewReview } from './review.js';

/** The form fields as the user typed them, valid or not. */
export const TypedReview = z.object({
  rating: z.string().default(''),
  text: z.string().trim().default(''),
});

const SENTENCES = { rating: 'Choose 1 to 5 stars.', text: 'Write 1 to 1000 characters.' };

/** The review in a form, or its errors: one sentence per field. */
export function readReview(typed: z.infer<typeof TypedReview>) {
  const { success, data, error } = NewReview.safeParse({
    ...typed,
    rating: typed.rating === '' ? undefined : Number(typed.rating),
  });
  if (success) return { review: data };
  const wrong = new Set(error.issues.map(({ path }) => path[0]));
  return { errors: Object.fromEntries(Object.entries(SENTENCES).filter(([field]) => wrong.has(field))) };
}
