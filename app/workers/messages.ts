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

/** An operation on a shared memory or lock in the primary. `maxAge` in seconds, `wait` in milliseconds. */
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
  /** Milliseconds for which it still accepts connections after the request to stop. */
  readonly drainDelay: number;
  readonly log: LogSettings | undefined;
}
/** The lock that `call` requested is released, or the request is withdrawn. */
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
 * `retire`: other workers keep serving, so clients need not notice. `announce`: all workers end, so report not ready; answered with
 * `announced`. `stop`: the port is closed, so accept only the connections that were already sent; answered with `refusing`. `finish`:
 * nobody accepts connections anymore, so disconnect clients.
 */
export type StopMode = 'retire' | 'announce' | 'stop' | 'finish';
export interface StopMessage extends Said<StopMode | 'left'> {}

const SIGNALS = [
  /** It cannot serve, and has reported why. */
  'reported',
  /** A signal asked this worker alone to end: another worker has to replace it. */
  'resigning',
  /** It has crashed: it ends when its running requests have ended. */
  'crashing',
  /** It has no free file descriptor: connections to it are closed. Sent at a limited rate. */
  'dropping',
  /** It knows that all workers end, and `/readyz` reports that. */
  'announced',
  /** It accepts no more connections, but still answers on open connections. */
  'refusing',
  /** It is about to stop accepting connections. Answered with `left`, after which no more connections arrive. */
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
