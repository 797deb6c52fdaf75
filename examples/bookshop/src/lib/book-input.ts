import type { NewBook } from '../services/catalogue.js';
import { readBoolean, readFields, readText, readWhole } from './input.js';

/** A book as an admin may write it; answers 400 for what is none. */
export function readBook(body: unknown): NewBook {
  const fields = { blurb: 'No description yet.', featured: false, ...readFields(body) };
  return {
    title: readText(fields, 'title'),
    author: readText(fields, 'author'),
    year: readWhole(fields, 'year', { min: 1, max: 2100 }),
    cents: readWhole(fields, 'cents', { max: 1_000_000 }),
    blurb: readText(fields, 'blurb', { max: 2000 }),
    featured: readBoolean(fields, 'featured'),
  };
}
