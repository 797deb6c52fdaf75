import { brand } from '../contributions/index.js';

/** Texts by name, kept together under one key. */
export type Fields = Readonly<Record<string, string>>;

/** What a memory holds under one key. */
export interface Kept {
  readonly fields: Fields;
  /** Seconds until it is forgotten, by the clock of whoever keeps it. */
  readonly left: number;
}

/**
 * What all processes of an app see, by key. Each method is one step, which no other comes between. One that cannot be
 * carried out rejects with `Unavailable`: within a second, and at once as long as what keeps the memory is known to be away.
 */
export interface SharedMemory {
  get(key: string): Promise<Kept | undefined> | Kept | undefined;
  /**
   * Put `fields` beside those that are there, all of them for `maxAge` seconds from now. With `only`, nothing is put, and it gives
   * false, where the key is there already (`new`), or is not (`existing`).
   */
  put(key: string, fields: Fields, maxAge: number, only?: 'new' | 'existing'): Promise<boolean> | boolean;
  /** Forget the key. What it held goes to one caller only. */
  take(key: string): Promise<Fields | undefined> | Fields | undefined;
  /** Add to a number that begins with 0, and is forgotten `maxAge` seconds after that. Gives the sum, which `get` has as field `sum`. */
  add(key: string, amount: number, maxAge: number): Promise<number> | number;
}

/** What bounds a memory that a process of this machine keeps. A broker has bounds of its own. */
export interface MemoryOptions {
  /** How many keys there may be. Default: 100,000. */
  readonly maxKeys?: number;
  /** How many bytes they and their texts may take. Default: 64 MiB, and 256 MiB of all memories that say nothing of it. */
  readonly maxBytes?: number;
  /** What was used so often makes room after all else. Default: what was used longest ago makes room. */
  readonly often?: number;
}

/** A lock, while it is held. */
export interface Held {
  /** Grows with each holder of any lock: what the lock guards refuses a number that is smaller than the last one it has seen. */
  readonly token: number;
  /** Aborts when another may have the lock, since this process stood still, say, or what keeps the lock is away. */
  readonly signal: AbortSignal;
}

/** How a lock is waited for. */
export interface LockOptions {
  /** How long to wait for the lock, in milliseconds; then `LockTaken` is thrown. Default: 10,000. */
  readonly wait?: number;
}

/**
 * Run `work` while no other process, and nothing else in this one, holds the lock of that name. Rejects with what `work` throws,
 * with `LockTaken` or with `Unavailable`.
 */
export type Lock = <T>(name: string, work: (held: Held) => Promise<T>, options?: LockOptions) => Promise<T>;

/**
 * Gets a message of another process: its head, and its body, which is empty where there is none. `Head` is what those send that know the
 * topic: nothing checks it.
 */
export type Receive<Head = Json> = (head: Head, body: string | Uint8Array) => void;

/** Numbers by key, each the sum of the shares of all processes. A process that ends takes its shares with it. */
export interface Roster {
  /** Replace the shares of this process: a key that is left out counts 0. Other processes see them within a second. Never throws. */
  set(shares: ReadonlyMap<string, number>): void;
  /** The sum for one key. Rejects with `Unavailable`. */
  sum(key: string): Promise<number> | number;
}

/** The processes that serve an app, as one of them sees them. Names of topics, memories and locks begin with the plugin's. */
export interface Peers {
  /** Of this process; no other has had it. */
  readonly id: string;
  /** Of this machine: of all processes that one has started. */
  readonly machine: string;
  /** How many processes serve on this machine. How many machines there are nobody knows. */
  readonly count: number;
  /** How far they reach. */
  readonly span: 'process' | 'machine' | 'machines';
  /**
   * Random text, the same for all of them: what one signs, the others verify. Another for each purpose. Made of the
   * environment's `FWK_SECRET`; throws BootError where that is needed and missing.
   */
  secret(purpose: string): string;
  /**
   * Send to all others that listen for `topic`: at most once each, those of one sender in their order. Never waits. Throws
   * TypeError for what JSON has not, which the compiler refuses where it sees it.
   */
  send<Head>(topic: string, head: JsonOf<Head>, body?: string | Uint8Array): void;
  /** Have `receive` called with what others send. Returns a function that ends it. */
  on<Head = Json>(topic: string, receive: Receive<Head>): () => void;
  /** What all of them know by that name. `options`: where this machine keeps it. */
  memory(name: string, options?: MemoryOptions): SharedMemory;
  readonly lock: Lock;
  roster(name: string): Roster;
}

/** What reaches other machines: a package implements it over a broker. It gives its own machine nothing. */
export interface PeersEngine extends Pick<Peers, 'memory' | 'lock'> {
  /** For messages to people: `redis`. */
  readonly name: string;
  /** Take to other machines. Never waits and never throws: what cannot leave is counted. */
  send(topic: string, head: Json, body: string | Uint8Array): void;
  /** Called once, before anything is sent: hand `deliver` what comes from other machines. */
  listen(deliver: (topic: string, head: Json, body: string | Uint8Array) => void): void;
}

/** Thrown where something that is needed is away for now. A request is answered with 503 and `Retry-After` then. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** Seconds after which it may be there again. */
  readonly retryAfter: number;

  constructor(message: string, { retryAfter = 1, cause }: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

/** Thrown where a lock was not to be had in time. */
export class LockTaken extends Error {
  override readonly name = 'LockTaken';
}

const unavailable = brand<Unavailable>('fwkit.unavailable');
unavailable.mark(Unavailable.prototype);
const lockTaken = brand<LockTaken>('fwkit.lockTaken');
lockTaken.mark(LockTaken.prototype);

/** Whether it is an Unavailable. Also true of one that another copy of this package made. */
export const isUnavailable: (thrown: unknown) => thrown is Unavailable = unavailable.has;

/** Whether it is a LockTaken. Also true of one that another copy of this package made. */
export const isLockTaken: (thrown: unknown) => thrown is LockTaken = lockTaken.has;

/** What JSON has. */
export type Json =
  | null
  | string
  | number
  | boolean
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/**
 * `T`, where JSON has it, interfaces included; what JSON has not is a sentence in its place, which the compiler prints. `Absent` is left out
 * where it stands: undefined, of members.
 */
export type JsonOf<T, Absent = never> = 0 extends 1 & T
  ? T
  : T extends Json | Absent
    ? T
    : T extends undefined
      ? 'undefined is not JSON'
      : T extends bigint
        ? 'a bigint is not JSON'
        : T extends symbol
          ? 'a symbol is not JSON'
          : T extends (...given: never[]) => unknown
            ? 'a function is not JSON'
            : JsonOfObject<T>;

type JsonOfObject<T> = T extends { toJSON(...given: never[]): unknown }
  ? 'it would arrive as another type: send what its toJSON() gives'
  : T extends readonly unknown[]
    ? { readonly [Index in keyof T]: JsonOf<T[Index]> }
    : // Collections, promises, bytes.
      T extends { readonly [Symbol.toStringTag]: string }
      ? 'an object of this class is not JSON'
      : // Nothing is known of it: `unknown`, `object`.
        [keyof T] extends [never]
        ? Json
        : { readonly [Key in keyof T]: JsonOf<T[Key], undefined> };

/**
 * What of a value JSON has not, and where: `data.at is a Date`, `data.self holds itself`; undefined where JSON has it all. `path` is what
 * the value is called. A member of an object that is undefined is left out, as JSON does.
 */
export const notJson = (value: unknown, path: string): string | undefined => mistakeIn(value, path, []);

/** `above`: the objects that `value` is in. */
function mistakeIn(value: unknown, path: string, above: object[]): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return undefined;
  if (typeof value !== 'object') return `${path} is ${named(value)}`;
  if (above.includes(value)) return `${path} holds itself`;
  if (!Array.isArray(value) && !isPlain(Object.getPrototypeOf(value))) return `${path} is ${named(value)}`;
  above.push(value);
  const mistake = Array.isArray(value) ? inArray(value, path, above) : inObject(value, path, above);
  above.pop();
  return mistake;
}

function inArray(values: readonly unknown[], path: string, above: object[]): string | undefined {
  for (let index = 0; index < values.length; index += 1) {
    const mistake = mistakeIn(values[index], `${path}[${index}]`, above);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function inObject(value: object, path: string, above: object[]): string | undefined {
  for (const [key, member] of Object.entries(value)) {
    const mistake = member === undefined ? undefined : mistakeIn(member, `${path}.${key}`, above);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

/** Objects of another realm are plain too: their prototype has none above it. */
const isPlain = (prototype: object | null): boolean =>
  prototype === null || Object.getPrototypeOf(prototype) === null;

function named(value: unknown): string {
  if (value === undefined || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return value instanceof Promise ? 'a promise' : `a ${value.constructor?.name || 'class instance'}`;
}
