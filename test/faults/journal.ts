import { Lost, Refused } from './client.js';

export type Fault =
  | 'store away'
  | 'store slow'
  | 'store rejects'
  | 'disk full'
  | 'no descriptors'
  | 'clock set'
  | 'worker SIGKILL'
  | 'worker SIGTERM'
  | 'SIGHUP'
  | 'counted alone';

/** How long what a fault has broken may still be seen, in milliseconds. */
const AFTER = 2_000;
/** Where connections have filled every queue, what is left of them has to be dealt with first. */
const AFTER_FLOOD = 10_000;
/** A worker that had no answer from the primary asks again every 5 s, and says the first time only. */
const AFTER_ALONE = 20_000;
const LASTING: Partial<Record<Fault, number>> = {
  'no descriptors': AFTER_FLOOD,
  'counted alone': AFTER_ALONE,
  // Until each process has read it.
  'clock set': 5_000,
};
/** What a shutdown of a worker ends, though it serves what it has begun. */
const LIVE = ['events', 'socket'];

const isRefused = (failure: unknown): boolean => failure instanceof Refused;

/** Whether a fault explains that a call failed in this way. The others explain nothing: not a request may fail by them. */
const EXCUSES: Partial<Record<Fault, (call: string, failure: unknown) => boolean>> = {
  'store away': (call, failure) => call === 'visit' && isRefused(failure),
  'store rejects': (call, failure) => call === 'visit' && isRefused(failure),
  'disk full': (call, failure) => call === 'upload' && isRefused(failure),
  'no descriptors': () => true,
  // On a machine that has too much to do, the primary may be late by itself: docs/guide/rate-limit.md.
  'counted alone': (call, failure) => call === 'limited' && !(failure instanceof Lost),
  'worker SIGKILL': (_call, failure) => !isRefused(failure),
  'worker SIGTERM': (call, failure) => LIVE.includes(call) && !isRefused(failure),
  SIGHUP: (call, failure) => LIVE.includes(call) && !isRefused(failure),
};

/** What the app may say of a fault, and nothing but that. */
const SAID: readonly (readonly [RegExp, readonly Fault[]])[] = [
  [/the store (?:is away|rejects)/, ['store away', 'store rejects', 'no descriptors']],
  [/ENOSPC/, ['disk full']],
  [/EMFILE|too many open files|has no file descriptor left/, ['no descriptors']],
  [/Worker \d+ ended with SIGKILL/, ['worker SIGKILL']],
  // One that has not begun to serve ends at once.
  [/Worker \d+ ended with SIGTERM/, ['worker SIGTERM']],
  [/Requests cannot be counted for rateLimit|counted together again/, ['counted alone']],
];

interface Window {
  readonly fault: Fault;
  readonly from: number;
  to: number;
}

/** Which faults there were, and when: what goes wrong has to have one of them as its reason. */
export class Journal {
  readonly counts = new Map<Fault, number>();
  readonly #windows: Window[] = [];

  /** Notes that a fault begins; gives what to call at its end. */
  begin(fault: Fault): () => void {
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
    const window = { fault, from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.#windows.push(window);
    return () => {
      window.to = performance.now() + (LASTING[fault] ?? AFTER);
    };
  }

  /** Which fault explains that a call which ran from `from` to now has failed. */
  excuse(call: string, failure: unknown, from: number): Fault | undefined {
    return this.#since(from).find((fault) => EXCUSES[fault]?.(call, failure));
  }

  /** Whether a line that the app has written just now is of a fault. */
  explains(line: string): boolean {
    if (line.includes('Requests cannot be counted')) this.begin('counted alone')();
    const now = this.#since(performance.now() - AFTER);
    return SAID.some(([said, faults]) => said.test(line) && faults.some((fault) => now.includes(fault)));
  }

  /** The faults that there were between then and now. */
  #since(from: number): Fault[] {
    return this.#windows.filter(({ to }) => to >= from).map(({ fault }) => fault);
  }

  /** What has ended how long ago, for people. */
  get latest(): string {
    const now = performance.now();
    return this.#windows
      .slice(-4)
      .map(
        ({ fault, to }) =>
          `${fault} ${to > now ? 'is' : `was until ${((now - to) / 1000).toFixed(1)} s ago`}`,
      )
      .join(', ');
  }

  has(fault: Fault): boolean {
    return this.#since(performance.now() - AFTER).includes(fault);
  }
}
