import { z } from 'zod';

const STARS = 'Choose 1 to 5 stars.';
const TEXT = 'Write 1 to 1000 characters.';

export const NewReview = z.object({
  rating: z.int(STARS).min(1, STARS).max(5, STARS).describe('Stars'),
  text: z.string(TEXT).trim().min(1, TEXT).max(1000, TEXT),
});
export type NewReview = z.infer<typeof NewReview>;

export const Review = NewReview.extend({
  id: z.int(),
  by: z.string().describe('Name of the account that wrote it'),
});
export type Review = z.infer<typeof Review>;
