/** How much is allowed: `limit` requests in a window. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
}

/** Requests in a window and in the one before it. Windows are numbered from the beginning of the clock. */
export interface Counted {
  window: number;
  previous: number;
  current: number;
}

export interface Decision {
  readonly isAllowed: boolean;
  /** How many more would be allowed now. */
  readonly remaining: number;
  /** Milliseconds: of a request that is allowed, until its window ends; else until one is allowed. */
  readonly waitMs: number;
}

/**
 * Count a request, if it is allowed. Those of the window before count for the share of it that lies within the last `windowMs`
 * milliseconds, rounded down: a sliding window of two counters, as if those requests had been spread evenly. Requests that are
 * refused do not count.
 */
export function take(counted: Counted, quota: Quota, now: number): Decision {
  const decision = look(counted, quota, now);
  if (!decision.isAllowed) return decision;
  counted.current += 1;
  return { ...decision, remaining: decision.remaining - 1 };
}

/** Take back a request that was counted at `at`, as far as it counts still. */
export function giveBack(counted: Counted, { windowMs }: Quota, at: number): void {
  const age = counted.window - Math.floor(at / windowMs);
  if (age === 0) counted.current = Math.max(0, counted.current - 1);
  else if (age === 1) counted.previous = Math.max(0, counted.previous - 1);
}

/** What would become of a request. Nothing is counted. */
export function look(counted: Counted, { limit, windowMs }: Quota, now: number): Decision {
  advance(counted, Math.floor(now / windowMs));
  const elapsed = Math.min(Math.max(now / windowMs - counted.window, 0), 1);
  const { previous, current } = counted;
  const left = limit - current - Math.floor(previous * (1 - elapsed));
  const endMs = (1 - elapsed) * windowMs;
  if (left > 0) return { isAllowed: true, remaining: left, waitMs: endMs };
  // In this window as soon as enough of the one before has slid out of it; else in the next one, at its beginning.
  const waitMs = current < limit ? Math.max(1 - (limit - current) / previous - elapsed, 0) * windowMs : endMs;
  return { isAllowed: false, remaining: 0, waitMs };
}

function advance(counted: Counted, window: number): void {
  if (window <= counted.window) return;
  counted.previous = window === counted.window + 1 ? counted.current : 0;
  counted.current = 0;
  counted.window = window;
}
