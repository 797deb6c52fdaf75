import { brand } from '../contributions/index.js';

/** Strings by field name, stored together under one key. */
export type Fields = Readonly<Record<string, string>>;

/** The entry that a memory holds under one key. */
export interface MemoryEntry {
  readonly fields: Fields;
  /** Seconds until the entry expires, by the clock of the process or broker that stores it. */
  readonly left: number;
}

/**
 * A key-value store that all processes of an app share. Each method is atomic. If the store cannot be reached, a method rejects with
 * `Unavailable`: within a second, and immediately while the store is known to be unavailable.
 */
export interface SharedMemory {
  get(key: string): Promise<MemoryEntry | undefined> | MemoryEntry | undefined;
  /**
   * Merge `fields` into the entry, which expires `maxAge` seconds from now. With `only`, it stores nothing and returns false if the key
   * exists already (`new`) or does not exist (`existing`).
   */
  put(key: string, fields: Fields, maxAge: number, only?: 'new' | 'existing'): Promise<boolean> | boolean;
  /** Delete the key and return its fields. Only one caller gets them. */
  take(key: string): Promise<Fields | undefined> | Fields | undefined;
  /** Add to a number that starts at 0 and expires `maxAge` seconds after the first addition. Returns the sum; `get` has it as field `sum`. */
  add(key: string, amount: number, maxAge: number): Promise<number> | number;
}

/** Limits of a memory that a process of this machine stores. A broker has its own limits. */
export interface MemoryOptions {
  /** The maximum number of keys. Default: 100,000. */
  readonly maxKeys?: number;
  /** The maximum size of keys and fields in bytes. Default: 64 MiB, and 256 MiB for all memories without this option together. */
  readonly maxBytes?: number;
  /** Entries used this many times are evicted last. Default: the least recently used entry is evicted first. */
  readonly often?: number;
}

/** A lock, while it is held. */
export interface LockHandle {
  /** A fencing token, which grows with each holder of any lock: the guarded resource refuses a token smaller than the last one it saw. */
  readonly token: number;
  /** Aborts when another process may hold the lock, for example because this process was blocked or the lock store is unavailable. */
  readonly signal: AbortSignal;
}

/** Options for acquiring a lock. */
export interface LockOptions {
  /** How long to wait for the lock, in milliseconds; then `LockTaken` is thrown. Default: 10,000. */
  readonly wait?: number;
}

/**
 * Run `work` while it holds the lock of that name, exclusively across all processes. Rejects with the error of `work`, with `LockTaken`
 * or with `Unavailable`.
 */
export type Lock = <T>(
  name: string,
  work: (held: LockHandle) => Promise<T>,
  options?: LockOptions,
) => Promise<T>;

/** Receives the head and the body of a message of another process. The body may be empty. The type `Head` is not validated. */
export type Receive<Head = Json> = (head: Head, body: string | Uint8Array) => void;

/** Numbers by key, each the sum of the shares of all processes. When a process ends, its shares no longer count. */
export interface Roster {
  /** Replace the shares of this process: a missing key counts as 0. Other processes see the change within a second. Never throws. */
  set(shares: ReadonlyMap<string, number>): void;
  /** The sum for one key. Rejects with `Unavailable`. */
  sum(key: string): Promise<number> | number;
}

/** The processes that serve an app, as seen by one process. Names of topics, memories and locks begin with the plugin's name. */
export interface Peers {
  /** The unique id of this process. */
  readonly id: string;
  /** The id of this machine, shared by all processes that were started together. */
  readonly machine: string;
  /** The number of processes that serve on this machine. The number of machines is unknown. */
  readonly count: number;
  /** Whether the peers are this process, the processes of this machine, or the processes of several machines. */
  readonly span: 'process' | 'machine' | 'machines';
  /**
   * A secret that all peers share, different for each purpose, so that each can verify another's signatures. Derived from `FWK_SECRET`.
   * Throws BootError if that is required and missing.
   */
  secret(purpose: string): string;
  /**
   * Send a message to all other processes that listen for `topic`: at most once, and in order for each sender. Never waits. Throws
   * TypeError if the head cannot be serialized as JSON; the compiler rejects such types where it can.
   */
  send<Head>(topic: string, head: JsonOf<Head>, body?: string | Uint8Array): void;
  /** Call `receive` for each message that another process sends to `topic`. Returns a function that unsubscribes. */
  on<Head = Json>(topic: string, receive: Receive<Head>): () => void;
  /** The shared memory of that name. `options` apply only if a process of this machine stores it. */
  memory(name: string, options?: MemoryOptions): SharedMemory;
  readonly lock: Lock;
  roster(name: string): Roster;
}

/** Connects the machines of an app. A package implements it with a broker. It never delivers to its own machine. */
export interface PeersEngine extends Pick<Peers, 'memory' | 'lock'> {
  /** The name in messages, such as `redis`. */
  readonly name: string;
  /** Send to other machines. Never waits and never throws: messages that cannot be sent are counted. */
  send(topic: string, head: Json, body: string | Uint8Array): void;
  /** Called once, before anything is sent. Pass each message from other machines to `deliver`. */
  listen(deliver: (topic: string, head: Json, body: string | Uint8Array) => void): void;
}

/** Thrown if a dependency is temporarily unavailable. The response to the request is then 503 with `Retry-After`. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  /** Seconds after which the client should try again. */
  readonly retryAfter: number;

  constructor(message: string, { retryAfter = 1, cause }: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

/** Thrown if a lock was not acquired in time. */
export class LockTaken extends Error {
  override readonly name = 'LockTaken';
}

const unavailable = brand<Unavailable>('fwkit.unavailable');
unavailable.mark(Unavailable.prototype);
const lockTaken = brand<LockTaken>('fwkit.lockTaken');
lockTaken.mark(LockTaken.prototype);

/** Whether `thrown` is an Unavailable, also if another copy of this package created it. */
export const isUnavailable: (thrown: unknown) => thrown is Unavailable = unavailable.has;

/** Whether `thrown` is a LockTaken, also if another copy of this package created it. */
export const isLockTaken: (thrown: unknown) => thrown is LockTaken = lockTaken.has;

/** A value that JSON can represent. */
export type Json =
  | null
  | string
  | number
  | boolean
  | readonly Json[]
  | { readonly [key: string]: Json | undefined };

/**
 * `T` if JSON can represent it, interfaces included. Each type that JSON cannot represent is replaced by a sentence, which the compiler
 * prints. `Absent` is allowed as well: it is `undefined` for members of objects, which JSON omits.
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
  ? 'it would arrive as another type: send the result of its toJSON()'
  : T extends readonly unknown[]
    ? { readonly [Index in keyof T]: JsonOf<T[Index]> }
    : // Collections, promises, bytes.
      T extends { readonly [Symbol.toStringTag]: string }
      ? 'an object of this class is not JSON'
      : // `unknown` and `object`, whose members are not known.
        [keyof T] extends [never]
        ? Json
        : { readonly [Key in keyof T]: JsonOf<T[Key], undefined> };

/**
 * The first part of a value that JSON cannot represent: `data.at is a Date`, `data.self contains itself`; undefined if there is none.
 * `path` is the name of the value. Undefined members of objects are ignored, because JSON omits them.
 */
export const notJson = (value: unknown, path: string): string | undefined => mistakeIn(value, path, []);

/** `above`: the objects that contain `value`. */
function mistakeIn(value: unknown, path: string, above: object[]): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return undefined;
  if (typeof value !== 'object') return `${path} is ${named(value)}`;
  if (above.includes(value)) return `${path} contains itself`;
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

/** Also true for plain objects of another realm, whose prototype has no prototype either. */
const isPlain = (prototype: object | null): boolean =>
  prototype === null || Object.getPrototypeOf(prototype) === null;

function named(value: unknown): string {
  if (value === undefined || typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return value instanceof Promise ? 'a promise' : `a ${value.constructor?.name || 'class instance'}`;
}
