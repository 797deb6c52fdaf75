import { readFields } from './input.js';

/** What a visitor typed into the form, and what is wrong with it: one sentence per field. */
export function readReviewForm(body: unknown) {
  const { rating, text } = readFields(body ?? {});
  const typed = { rating: String(rating ?? ''), text: String(text ?? '').trim() };
  const errors: { rating?: string; text?: string } = {};
  if (!/^[1-5]$/.test(typed.rating)) errors.rating = 'Choose 1 to 5 stars.';
  if (typed.text === '' || typed.text.length > 1000) errors.text = 'Write 1 to 1000 characters.';
  return { typed, errors, isRight: Object.keys(errors).length === 0 };
}
