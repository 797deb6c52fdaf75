import { totalmem } from 'node:os';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Milliseconds between two measurements of the event loop. */
const INTERVAL_MS = 100;
/** Memory is measured at each of this many measurements. */
const MEMORY_EVERY = 10;
/** The share of time above which the event loop is busy, so that connections may wait to be accepted. */
const BUSY = 0.9;
/** While the process is busy, the waiting time is measured at each of this many measurements. */
const PROBE_EVERY = 5;
const IDLE = { utilization: 0 };
/** Measurements below all limits after which an overload has ended. */
const CALM = 20;

/** The limits of a process; 0: no limit. */
export interface LoadLimits {
  /** How long a request may wait for the event loop, in milliseconds. */
  readonly maxDelay: number;
  /** The share of the heap, or of the memory of the container, that may be in use. */
  readonly maxMemory: number;
}

/** Called when an overload begins, with its cause, and when it has ended. */
export interface LoadEvents {
  begin(cause: string): void;
  end(): void;
}

/** Measures how busy this process is, until `stop`. */
export class Load {
  /** The share of requests to reject, from 0 to 1. */
  share = 0;
  readonly #timer: NodeJS.Timeout;
  #due: number;
  #lastDelay = 0;
  #lastMemory = 0;
  #memoryShare = 0;
  #measurements = 0;
  #calm = CALM;
  // Other runtimes may not have it.
  #utilization: EventLoopUtilization | undefined = performance.eventLoopUtilization?.();
  /** Measurements since the event loop is busy. */
  #busy = 0;
  #probedSince: number | undefined;
  #lastProbe = 0;

  /**
   * `probe` sends a request to this process. While the process is busy, Node accepts only one connection at a time, so others wait
   * in the queue of the operating system, which only a new connection can measure.
   */
  constructor(
    private readonly limits: LoadLimits,
    private readonly events: LoadEvents,
    private readonly probe: () => Promise<unknown>,
  ) {
    this.#due = performance.now() + INTERVAL_MS;
    this.#timer = setInterval(() => this.#measure(), INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #measure(): void {
    const { maxDelay, maxMemory } = this.limits;
    const delay = maxDelay === 0 ? 0 : this.#measureDelay();
    const delayShare = excess(delay, maxDelay, 2 * maxDelay);
    if (maxMemory > 0 && this.#measurements++ % MEMORY_EVERY === 0) this.#measureMemory(maxMemory);
    // Smoothed, so that the share settles where the accepted requests take as long as the limit allows.
    const target = Math.max(delayShare, this.#memoryShare);
    this.share = target === 0 && this.share < 0.01 ? 0 : this.share + (target - this.share) / 2;
    if (this.share === 0) {
      if (this.#calm < CALM && ++this.#calm === CALM) this.events.end();
      return;
    }
    if (this.#calm === CALM)
      this.events.begin(
        delayShare > 0
          ? `requests wait for ${Math.round(delay)} ms`
          : `${Math.round(this.#lastMemory * 100)} % of the memory is in use`,
      );
    this.#calm = 0;
  }

  /** How long a request waits at present, in milliseconds. */
  #measureDelay(): number {
    const now = performance.now();
    const late = now - this.#due;
    this.#due = now + INTERVAL_MS;
    // The smaller one of two measurements, because a single long function is no overload.
    const lasting = Math.min(late, this.#lastDelay);
    this.#lastDelay = late;
    const before = this.#utilization;
    this.#utilization = performance.eventLoopUtilization?.();
    const { utilization } = before ? performance.eventLoopUtilization(this.#utilization, before) : IDLE;
    if (utilization < BUSY) {
      this.#busy = 0;
      this.#lastProbe = 0;
      return lasting;
    }
    const since = this.#probedSince;
    this.#busy += 1;
    if (since === undefined && this.#busy % PROBE_EVERY === 0) this.#beginProbe(now);
    return Math.max(lasting, this.#lastProbe, since === undefined ? 0 : now - since);
  }

  #beginProbe(now: number): void {
    this.#probedSince = now;
    void this.probe().then(() => {
      this.#lastProbe = performance.now() - now;
      this.#probedSince = undefined;
    });
  }

  #measureMemory(max: number): void {
    const used = memoryInUse();
    this.#memoryShare = excess(Math.min(used, this.#lastMemory), max, 1);
    this.#lastMemory = used;
  }
}

/** How far `value` is between `from` and `to`, from 0 to 1. */
const excess = (value: number, from: number, to: number): number =>
  value <= from ? 0 : Math.min((value - from) / (to - from), 1);

/** The share of the heap or of the container's memory that this process uses, whichever is larger. */
function memoryInUse(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  // 0 or more than any machine has: no limit.
  const limit = process.constrainedMemory?.() || Number.POSITIVE_INFINITY;
  return Math.max(used_heap_size / heap_size_limit, limit > totalmem() ? 0 : residentSize() / limit);
}

/** 0 if it is unknown: Node reads it from a file, and there may be no descriptor left. */
function residentSize(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}
