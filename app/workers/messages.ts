import type { ProblemCode } from '../../kernel/index.js';
import type { Fields, Json, MemoryOptions } from '../../peers/index.js';
import type { LogSettings } from '../../plugins/log/index.js';

/** The messages between processes of an app, over the channel that Node opens between parent and child. */
interface Said<Kind extends string> {
  readonly fwkit: Kind;
}

export interface Sent extends Said<'sent'> {
  readonly topic: string;
  readonly head: Json;
  readonly body: string | Uint8Array;
}

/** Something to do with what the primary holds: a memory or a lock of that name. `maxAge` in seconds, `wait` in milliseconds. */
export type Act =
  | { readonly do: 'get' | 'take'; readonly name: string; readonly key: string }
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

export interface Asked extends Said<'asked'> {
  readonly call: number;
  readonly act: Act;
}

export interface Serves {
  readonly urls: readonly string[];
  /** Milliseconds for which it goes on accepting connections when it is told to stop. */
  readonly drainDelay: number;
  readonly log: LogSettings | undefined;
}
/** The lock that was asked for by `call` is released, or not waited for any more. */
export interface Released extends Said<'released'> {
  readonly call: number;
}

export interface Answer extends Said<'answer'> {
  readonly call: number;
  readonly value: unknown;
  readonly wrong?: Wrong;
}

export interface Wrong {
  readonly message: string;
  readonly code: ProblemCode | undefined;
}

/**
 * `retire`: others serve on, so clients need not notice. `announce`: nobody will, so be not ready; answered with `announced`.
 * `stop`: nobody listens any more, so accept what has been sent here, and then nothing; answered with `refusing`. `finish`:
 * nobody accepts anything, so have clients go.
 */
export type StopMode = 'retire' | 'announce' | 'stop' | 'finish';
export interface StopMessage extends Said<StopMode | 'left'> {}

const SIGNALS = [
  /** It does not get as far as to serve, and has reported why. */
  'reported',
  /** It was asked to end, it alone: another one is to take its place. */
  'resigning',
  /** Something in it is broken: it ends when the requests that it has begun have ended. */
  'crashing',
  /** It has no file descriptor left: connections for it are closed. Said once in a while. */
  'dropping',
  /** It has heard that all end, and `/readyz` says so. */
  'announced',
  /** It accepts no more connections, but still answers on those that it has. */
  'refusing',
  /** It is about to accept no more connections. Answered with `left`, behind which none comes that was on its way. */
  'leaving',
] as const;
type Signal = (typeof SIGNALS)[number];

export type ToPrimary =
  | (Said<'ready'> & Serves)
  | Sent
  | Asked
  | Released
  | { [Kind in Signal]: Said<Kind> }[Signal];
export type ToWorker = Sent | Answer | StopMessage;

const isOneOf = (kinds: readonly string[], message: unknown): boolean =>
  typeof message === 'object' &&
  message !== null &&
  'fwkit' in message &&
  typeof message.fwkit === 'string' &&
  kinds.includes(message.fwkit);
const TO_PRIMARY = ['ready', 'sent', 'asked', 'released', ...SIGNALS];
const STOP_MODES = ['retire', 'announce', 'stop', 'finish'];
const TO_WORKER = ['sent', 'answer', 'left', ...STOP_MODES];
export const isToPrimary = (message: unknown): message is ToPrimary => isOneOf(TO_PRIMARY, message);
export const isToWorker = (message: unknown): message is ToWorker => isOneOf(TO_WORKER, message);
export const isStopMessage = (message: unknown): message is Said<StopMode> => isOneOf(STOP_MODES, message);

export interface WorkerSettings {
  readonly machine: string;
  readonly count: number;
  readonly secret: string;
}

export const WORKER_SETTINGS = 'FWK_WORKER';
