/** How many messages may come at once, and after how many milliseconds one more may. */
const BURST = 8;
const REFILL_MS = 1_000;

/** Counts the messages of one connection: returns a function that tells whether another one is within the limit. */
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
