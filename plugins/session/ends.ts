import { createHash } from 'node:crypto';
import { type Clock, isObject, type Timer } from '../../kernel/index.js';
import type { MemoryEntry, Peers } from '../../peers/index.js';
import type { SessionEnd } from '../context/internal.js';

type Listener = (how: SessionEnd) => void;

const TOPIC = 'session.ended';

/** How many recent ends are remembered, for sockets and streams that are just being opened. */
const MAX_RECENT = 1_000;
/** The maximum duration of a timer in Node, in milliseconds: 24 days. */
const MAX_WAIT_MS = 2 ** 31 - 1;
/** The minimum delay before a check, in milliseconds: timers fire early, and clocks differ. */
const MIN_WAIT_MS = 10;
/** The delay before an unavailable store is queried again, in seconds. */
const RETRY_SECONDS = 30;

/** The remaining time of a session, which visits in any process extend. */
export interface Remaining {
  /** Seconds from now. */
  readonly left: number;
  /** The stored data of the session; undefined if it has expired. */
  load(): Promise<MemoryEntry | undefined> | MemoryEntry | undefined;
}

interface Watched {
  readonly listeners: Set<Listener>;
  /** The `load` of the version that opened a stream or socket last. */
  load: Remaining['load'];
  timer: Timer | undefined;
}

/** Notifies streams and sockets when their session ends, in any process. Outlives versions. */
export class SessionEnds {
  readonly #watched = new Map<string, Watched>();
  /** The oldest entries are removed first. */
  readonly #recent = new Map<string, SessionEnd>();
  readonly #peers: Peers;
  readonly #clock: Clock;

  constructor(peers: Peers, clock: Clock) {
    this.#peers = peers;
    this.#clock = clock;
    if (peers.span === 'process') return;
    peers.on(TOPIC, (head) => {
      if (!isObject(head)) return;
      const { name, how } = head as { readonly name?: unknown; readonly how?: unknown };
      if (typeof name === 'string' && (how === 'ended' || how === 'renewed')) this.#receive(name, how);
    });
  }

  /** Call `listener` when this session ends, or now if it just has. Returns a function to remove it. */
  on(id: string, { left, load }: Remaining, listener: Listener): () => void {
    const name = nameOf(id);
    const recent = this.#recent.get(name);
    if (recent) {
      listener(recent);
      return () => {};
    }
    const watched = this.#watched.get(name) ?? this.#watch(name, left, load);
    watched.load = load;
    watched.listeners.add(listener);
    return () => {
      if (watched.listeners.delete(listener) && watched.listeners.size === 0) this.#forget(name, watched);
    };
  }

  announce(id: string, how: SessionEnd): void {
    const name = nameOf(id);
    this.#receive(name, how);
    if (this.#peers.span !== 'process') this.#peers.send(TOPIC, { name, how });
  }

  #receive(name: string, how: SessionEnd): void {
    this.#recent.set(name, how);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_RECENT && oldest !== undefined) this.#recent.delete(oldest);
    const watched = this.#watched.get(name);
    if (watched) this.#end(name, watched, how);
  }

  #end(name: string, watched: Watched, how: SessionEnd): void {
    this.#forget(name, watched);
    for (const listener of watched.listeners) listener(how);
  }

  #watch(name: string, left: number, load: Remaining['load']): Watched {
    const watched: Watched = { listeners: new Set(), load, timer: undefined };
    this.#watched.set(name, watched);
    this.#wait(name, watched, left);
    return watched;
  }

  #forget(name: string, watched: Watched): void {
    this.#clock.clear(watched.timer);
    if (this.#watched.get(name) === watched) this.#watched.delete(name);
  }

  /** Check again when its known time has passed: processes need not announce that they extend it. */
  #wait(name: string, watched: Watched, seconds: number): void {
    const ms = Math.min(Math.max(seconds * 1_000, MIN_WAIT_MS), MAX_WAIT_MS);
    watched.timer = this.#clock.setTimeout(() => void this.#check(name, watched), ms);
    watched.timer.unref();
  }

  async #check(name: string, watched: Watched): Promise<void> {
    const left = await secondsLeft(watched);
    if (this.#watched.get(name) !== watched) return;
    if (left === undefined) this.#end(name, watched, 'ended');
    else this.#wait(name, watched, left);
  }
}

/** Undefined if the session no longer exists. Never rejects: an unavailable store ends no session. */
async function secondsLeft({ load }: Watched): Promise<number | undefined> {
  try {
    return (await load())?.left;
  } catch {
    return RETRY_SECONDS;
  }
}

/** An ID is a secret of its visitor, and messages may pass through a broker. */
const nameOf = (id: string): string => createHash('sha256').update(id).digest('base64url');
