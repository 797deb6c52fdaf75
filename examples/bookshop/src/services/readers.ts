import { service } from 'fwkit';

/** How many people are at a book. */
export default service(() => {
  const readers = new Map<number, number>();
  const change = (book: number, by: number): number => {
    const now = (readers.get(book) ?? 0) + by;
    readers.set(book, now);
    return now;
  };
  return {
    /** One more; returns how many there are now. */
    enter: (book: number) => change(book, 1),
    leave: (book: number) => change(book, -1),
  };
});
