import { service } from 'fwkit';

/** The number of people who have the page of a book open. */
export default service(() => {
  const readers = new Map<number, number>();
  const change = (book: number, by: number): number => {
    const now = (readers.get(book) ?? 0) + by;
    readers.set(book, now);
    return now;
  };
  return {
    /** Adds a reader; returns the new number. */
    enter: (book: number) => change(book, 1),
    leave: (book: number) => change(book, -1),
  };
});
