import { Cron } from 'croner';

/** How far back the last time is looked for first, in milliseconds. */
const FIRST_LOOK_MS = 1_000;

/** The times of a pattern, in milliseconds since 1970. */
export class Times {
  readonly #cron: Cron;

  /** Throws for what is no pattern. */
  constructor(pattern: string, timezone: string) {
    // By its offset: then the rules of no zone are asked for.
    const where = timezone === 'UTC' ? { utcOffset: 0 } : { timezone };
    this.#cron = new Cron(pattern, { paused: true, ...where });
  }

  /** The first one after `time`; undefined where none comes. */
  after(time: number): number | undefined {
    return this.#cron.nextRun(new Date(time))?.getTime();
  }

  /** The last one that is later than `after`, and not later than `until`. */
  last(after: number, until: number): number | undefined {
    for (let back = FIRST_LOOK_MS; ; back *= 2) {
      const from = Math.max(after, until - back);
      let last: number | undefined;
      for (let next = this.after(from); next !== undefined && next <= until; next = this.after(next))
        last = next;
      if (last !== undefined || from === after) return last;
    }
  }
}
