import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

// Shared by the three apps: the schema of a note, the store, and the permissions.

export const Draft = z.object({
  title: z.string().trim().min(1).max(80),
  text: z.string().max(2000).default(''),
});
export const Note = Draft.extend({ id: z.int(), at: z.iso.datetime() });
export const Id = z.object({ id: z.coerce.number().int().positive() });

export class TitleTaken extends Error {}

export class Notes {
  #notes = new Map();
  #last = 0;

  list() {
    return [...this.#notes.values()];
  }

  find(id) {
    // A note that always fails, to show the handling of errors.
    if (id === 13) throw new Error('EIO: /var/notes/13');
    return this.#notes.get(id);
  }

  add(draft) {
    this.#check(draft.title);
    return this.#put(++this.#last, draft);
  }

  replace(id, draft) {
    if (!this.find(id)) return undefined;
    this.#check(draft.title, id);
    return this.#put(id, draft);
  }

  remove(id) {
    return this.#notes.delete(id);
  }

  #check(title, own) {
    for (const note of this.#notes.values())
      if (note.title === title && note.id !== own)
        throw new TitleTaken(`There is a note "${title}" already.`);
  }

  /** `internal` must not be sent. */
  #put(id, { title, text }) {
    const note = { id, title, text, at: new Date().toISOString(), internal: `row ${id}` };
    this.#notes.set(id, note);
    return note;
  }
}

/** Whether an Authorization header has the key. */
export function isKey(header = '') {
  const [given, expected] = [
    Buffer.from(header),
    Buffer.from(`Bearer ${process.env.API_KEY ?? 'open sesame'}`),
  ];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
