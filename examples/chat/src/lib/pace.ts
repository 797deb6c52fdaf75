/** The number of messages that a client may send at once, and the milliseconds after which it may send one more. */
const BURST = 8;
const REFILL_MS = 1_000;

/**
 * Counts the messages of one connection: returns a function that checks whether another message is within the limit.
 */
export function pace(now: () => number = Date.now): () => boolean {
  let left = BURST;
  let last = now();
  return () => {
    const time = now();
    left = Math.min(BURST, left + (time - last) / REFILL_MS);
    last = time;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
