import { z } from 'zod';

export const NewReview = z.object({
  rating: z.int().min(1).max(5).describe('Stars'),
  text: z.string().trim().min(1).max(1000),
});
export type NewReview = z.infer<typeof NewReview>;

export const Review = NewReview.extend({
  id: z.int(),
  by: z.string().describe('Name of the account that wrote it'),
});
export type Review = z.infer<typeof Review>;
