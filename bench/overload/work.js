/** Computes for about `ms` milliseconds, as a handler that renders or serializes a lot does. */
export function work(ms) {
  for (const end = performance.now() + ms; performance.now() < end; );
}
