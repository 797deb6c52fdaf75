import type { ProblemCode } from '../../kernel/index.js';
import type { Fields, Json, MemoryOptions } from '../../peers/index.js';
import type { LogSettings } from '../../plugins/log/index.js';

/** The messages between processes of an app, over the channel that Node opens between parent and child. */
interface Said<Kind extends string> {
  /** Marks what is ours: an app may use the channel too. */
  readonly fwkit: Kind;
}

/** Passed on to all other workers. */
export interface Sent extends Said<'sent'> {
  readonly topic: string;
  readonly head: Json;
  readonly body: string | Uint8Array;
}

/** Something to do with what the primary holds: a memory, a lock or a roster of that name. `maxAge` in seconds, `wait` in milliseconds. */
export type Act =
  | { readonly do: 'get' | 'take' | 'sum'; readonly name: string; readonly key: string }
  | {
      readonly do: 'put';
      readonly name: string;
      readonly key: string;
      readonly fields: Fields;
      readonly maxAge: number;
      readonly only: 'new' | 'existing' | undefined;
      readonly options: MemoryOptions | undefined;
    }
  | {
      readonly do: 'add';
      readonly name: string;
      readonly key: string;
      readonly amount: number;
      readonly maxAge: number;
      readonly options: MemoryOptions | undefined;
    }
  | { readonly do: 'lock'; readonly name: string; readonly wait: number };

/** Answered with `Answer` of the same `call`. */
export interface Asked extends Said<'asked'> {
  readonly call: number;
  readonly act: Act;
}

/** What a worker adds to the numbers of a roster, by key. */
export interface Shares extends Said<'shares'> {
  readonly name: string;
  readonly shares: ReadonlyMap<string, number>;
}

/** What a worker says of itself when it serves. */
export interface Serves {
  readonly urls: readonly string[];
  /** Milliseconds for which it goes on accepting connections when it is told to stop. */
  readonly drainDelay: number;
  /** How it logs; undefined where it was given a logger. */
  readonly log: LogSettings | undefined;
}
export interface Ready extends Said<'ready'>, Serves {}

/** The lock that was asked for by `call` is released, or not waited for any more. */
export interface Released extends Said<'released'> {
  readonly call: number;
}

export interface Answer extends Said<'answer'> {
  readonly call: number;
  readonly value: unknown;
  /** Why it was refused. */
  readonly wrong?: Wrong;
}

export interface Wrong {
  readonly message: string;
  readonly code: ProblemCode | undefined;
}

/**
 * `retire`: others serve on, so clients need not notice. `announce`: nobody will, so be not ready; answered
 * with `announced`. `stop`: nobody listens any
 * more, so accept what has been sent here, and then nothing; answered with `refusing`. `finish`: nobody accepts anything, so
 * have clients go.
 */
export type StopMode = 'retire' | 'announce' | 'stop' | 'finish';
export interface StopMessage extends Said<StopMode | 'left'> {}

/**
 * What a worker says of itself. `reported`: it does not get as far as to serve, and has reported why. `resigning`: it alone was asked
 * to end, and another one is to take its place. `crashing`: something in it is broken, so it ends when its requests have ended.
 * `dropping`: it has no file descriptor left, and closes connections; said once in a while. `announced`: it has heard that all end, and
 * `/readyz` says so. `refusing`: it accepts no more connections, but still answers on those that it has. `leaving`: it is about to
 * accept no more; answered with `left`, after which nothing comes that was on its way.
 */
type News = 'reported' | 'resigning' | 'crashing' | 'dropping' | 'announced' | 'refusing' | 'leaving';

export type ToPrimary = Ready | Sent | Asked | Shares | Released | Said<News>;
export type ToWorker = Sent | Answer | StopMessage;

const isOurs = (message: unknown): message is { readonly fwkit: string } =>
  typeof message === 'object' && message !== null && 'fwkit' in message && typeof message.fwkit === 'string';
const STOP_MODES = ['retire', 'announce', 'stop', 'finish'];
export const isToPrimary = (message: unknown): message is ToPrimary => isOurs(message);
export const isToWorker = (message: unknown): message is ToWorker => isOurs(message);
export const isStopMessage = (message: unknown): message is Said<StopMode> =>
  isOurs(message) && STOP_MODES.includes(message.fwkit);

/** The settings of a worker, which it finds in its environment. */
export interface WorkerSettings {
  /** Of this primary; no other has had it. */
  readonly machine: string;
  /** How many workers serve. */
  readonly count: number;
  readonly secret: string;
}

/** The variable of the environment that holds an `WorkerSettings` as JSON. */
export const WORKER_SETTINGS = 'FWK_WORKER';
