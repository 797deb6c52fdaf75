/** What BullMQ refuses in an id, or takes for its own: whole numbers, colons. `#` marks those that are written in another way. */
const NEEDS_ESCAPE = /^-?\d+$|^#|:/;

/** The id by which BullMQ knows a job that `add` was given `id` for. Its own are whole numbers. */
export const storedId = (id: string): string =>
  NEEDS_ESCAPE.test(id) ? `#${id.replaceAll('%', '%25').replaceAll(':', '%3A')}` : id;

/** The id of a job as people know it. */
export const shownId = (stored: string): string =>
  stored.startsWith('#') ? stored.slice(1).replaceAll('%3A', ':').replaceAll('%25', '%') : stored;
