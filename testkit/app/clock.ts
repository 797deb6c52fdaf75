// Imported, because a test may have replaced the global.
import { setImmediate } from 'node:timers';
import { type Clock, systemClock, type Timer } from '../../kernel/index.js';
import { testError } from '../test-error.js';

const UNITS = {
  ms: 1,
  s: 1_000,
  second: 1_000,
  seconds: 1_000,
  min: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  day: 86_400_000,
  days: 86_400_000,
} as const;

/** Milliseconds, or a text: `'8 days'`, `'1 hour'`, `'90 s'`, `'250 ms'`. */
export type TestDuration = number | `${number} ${keyof typeof UNITS}`;

/** The clock of test apps. Its time changes only when you advance it. */
export interface TestClock {
  /** The current time of apps. */
  readonly date: Date;
  /**
   * Advance the time: timers that are due meanwhile, such as heartbeats (ten at most) and timeouts, run in order. Resolves when the
   * immediate effects of each timer have happened, too. Rejects with a TypeError for an invalid duration.
   */
  advance(duration: TestDuration): Promise<void>;
}

const clocks = new WeakMap<TestClock, Clock>();

/** Whether a value, which may be anything, was made by `testClock()`. */
export const isTestClock = (given: unknown): given is TestClock =>
  typeof given === 'object' && given !== null && clocks.has(given as TestClock);

/** The clock that an app reads; without a test clock, the clock of the process. */
export const clockOf = (clock: TestClock | undefined): Clock => (clock && clocks.get(clock)) ?? systemClock;

/**
 * A clock for `createTestApp({ clock })`: sessions, rate limits, caches, route timeouts, heartbeats and cookies use it. It begins at
 * `begin`, or now. Your own code still uses `Date` and timers, which test runners can replace.
 */
export function testClock(begin: Date | string | number = Date.now()): TestClock {
  const virtual = new VirtualClock(new Date(begin).getTime());
  const clock: TestClock = {
    get date() {
      return new Date(virtual.date());
    },
    advance: async (duration) => virtual.advance(millisecondsOf(duration)),
  };
  clocks.set(clock, virtual);
  return clock;
}

class VirtualTimer implements Timer {
  at: number;

  constructor(
    readonly clock: Clock,
    readonly run: () => void,
    readonly after: number,
    readonly repeats: boolean,
  ) {
    this.at = clock.now() + after;
  }

  refresh(): this {
    this.at = this.clock.now() + this.after;
    return this;
  }

  unref(): this {
    return this;
  }
}

/** How often a repeating timer runs in one advance, at most: a month may be millions of intervals. */
const MAX_REPEATS = 10;
/** Turns of the event loop to wait after a timer: a message over an in-memory connection takes a few. */
const TURNS = 10;

class VirtualClock implements Clock {
  #passed = 0;
  readonly #timers = new Set<VirtualTimer>();

  constructor(private readonly begin: number) {
    if (Number.isNaN(begin)) throw testError('FWK902', 'testClock() needs a valid date', TypeError);
  }

  now(): number {
    return this.#passed;
  }

  date(): number {
    return this.begin + this.#passed;
  }

  setTimeout(run: () => void, ms: number): Timer {
    return this.#add(new VirtualTimer(this, run, Math.max(ms, 1), false));
  }

  setInterval(run: () => void, ms: number): Timer {
    return this.#add(new VirtualTimer(this, run, Math.max(ms, 1), true));
  }

  clear(timer: Timer | undefined): void {
    if (timer instanceof VirtualTimer) this.#timers.delete(timer);
  }

  async advance(ms: number): Promise<void> {
    const end = this.#passed + ms;
    for (const timer of this.#timers)
      if (timer.repeats)
        timer.at += timer.after * Math.max(0, Math.ceil((end - timer.at) / timer.after) - MAX_REPEATS);
    for (;;) {
      await settle();
      const due = this.#next();
      if (!due || due.at > end) break;
      this.#passed = Math.max(this.#passed, due.at);
      if (due.repeats) due.at += due.after;
      else this.#timers.delete(due);
      due.run();
    }
    this.#passed = end;
    await settle();
  }

  #add(timer: VirtualTimer): Timer {
    this.#timers.add(timer);
    return timer;
  }

  #next(): VirtualTimer | undefined {
    let first: VirtualTimer | undefined;
    for (const timer of this.#timers) if (!first || timer.at < first.at) first = timer;
    return first;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function millisecondsOf(duration: TestDuration): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ([a-z]+)$/.exec(String(duration)) ?? [];
  const factor = Object.hasOwn(UNITS, unit) ? UNITS[unit as keyof typeof UNITS] : Number.NaN;
  const ms = typeof duration === 'number' ? duration : Number(amount) * factor;
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw testError(
    'FWK902',
    `clock.advance() takes milliseconds or a string such as '8 days', '90 s' or '250 ms', not ${JSON.stringify(duration)}`,
    TypeError,
  );
}
