/** What a clock gives for a timer. */
export interface Timer {
  /** Let the process end although it runs still. */
  unref(): unknown;
  /** Begin its time anew. */
  refresh(): unknown;
}

/** Where a project reads the time that its promises are about: how long sessions, caches and limits last. A test may have its own. */
export interface Clock {
  /** Milliseconds of a clock that is never set, from any beginning. */
  now(): number;
  /** Milliseconds since the epoch. */
  date(): number;
  /** Call `run` once, in `ms` milliseconds. */
  setTimeout(run: () => void, ms: number): Timer;
  /** Call `run` again and again, every `ms` milliseconds, until `clear`. */
  setInterval(run: () => void, ms: number): Timer;
  /** End a timer of either sort. */
  clear(timer: Timer | undefined): void;
}

/** That of the process. It asks the global functions each time: fake timers of a test runner may stand in their place. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  setInterval: (run, ms) => setInterval(run, ms),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};
