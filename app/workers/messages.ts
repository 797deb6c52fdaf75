import type { ProblemCode } from '../../kernel/index.js';
import type { Json, MemoryOptions, SharedMemory } from '../../peers/index.js';
import type { Parcel } from '../../plugins/http/internal.js';
import type { LogSettings } from '../../plugins/log/index.js';

/** The messages between processes of an app, over the channel that Node opens between parent and child. */
interface Message<Kind extends string> {
  readonly fwkit: Kind;
}

export interface Sent extends Message<'sent'> {
  readonly topic: string;
  readonly head: Json;
  readonly body: string | Uint8Array;
}

export type Operation =
  | {
      readonly on: 'memory';
      readonly name: string;
      readonly options: MemoryOptions | undefined;
      readonly method: keyof SharedMemory;
      readonly args: readonly unknown[];
    }
  /** `wait` in milliseconds. */
  | { readonly on: 'lock'; readonly name: string; readonly wait: number };

export interface CallRequest extends Message<'request'> {
  readonly call: number;
  readonly operation: Operation;
}

export interface Serves {
  readonly urls: readonly string[];
  /** Milliseconds for which it still accepts connections after the request to stop. */
  readonly drainDelay: number;
  readonly log: LogSettings | undefined;
}
/** The lock that `call` requested is released, or the request is withdrawn. */
interface Released extends Message<'released'> {
  readonly call: number;
}

export interface Answer extends Message<'answer'> {
  readonly call: number;
  readonly value: unknown;
  readonly wrong?: SerializedError;
}

export interface SerializedError {
  readonly message: string;
  readonly code: ProblemCode | undefined;
}

/** A connection that moves to another worker; its descriptor travels with this message. */
export interface Moving extends Message<'moving'> {
  readonly id: string;
  readonly parcel: Parcel;
}

export interface Taken extends Message<'taken'> {
  readonly id: string;
  readonly isTaken: boolean;
}

/** A worker closes a WebSocket that cannot move or, if `hasMoved`, that it has taken from another worker. */
interface Closed extends Message<'closed'> {
  readonly reason: string;
  readonly hasMoved: boolean;
}

/**
 * `retire`: other workers keep serving, so clients need not notice. `announce`: all workers end, so report not ready; answered with
 * `announced`. `stop`: the port is closed, so accept only the connections that were already sent; answered with `refusing`. `finish`:
 * nobody accepts connections anymore, so disconnect clients.
 */
const STOP_MODES = ['retire', 'announce', 'stop', 'finish'] as const;
export type StopMode = (typeof STOP_MODES)[number];

type Signal =
  /** It cannot serve, and has reported why. */
  | 'reported'
  /** A signal asked this worker alone to end: another worker has to replace it. */
  | 'resigning'
  /** It has crashed: it ends when its running requests have ended. */
  | 'crashing'
  /** It retires, and its connections cannot move. */
  | 'immovable'
  /** It has no free file descriptor: connections to it are closed. Sent at a limited rate. */
  | 'dropping'
  /** It knows that all workers end, and `/readyz` reports that. */
  | 'announced'
  /** It accepts no more connections, but still answers on open connections. */
  | 'refusing'
  /** It is about to stop accepting connections. Answered with `left`, after which no more connections arrive. */
  | 'leaving';

export type ToPrimary =
  | (Message<'ready'> & Serves)
  | Sent
  | CallRequest
  | Released
  | Moving
  | Taken
  | Closed
  | { [Kind in Signal]: Message<Kind> }[Signal];
export type ToWorker = Sent | Answer | Moving | Taken | Message<StopMode | 'left' | 'arrivals-ended'>;

/** Whether a message is one of these: a project may send others over the same channel. */
const isOwn = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'fwkit' in message;
export const isToPrimary = (message: unknown): message is ToPrimary => isOwn(message);
export const isToWorker = (message: unknown): message is ToWorker => isOwn(message);
export const isStopMessage = (message: unknown): message is Message<StopMode> =>
  isToWorker(message) && STOP_MODES.some((mode) => mode === message.fwkit);

export interface WorkerSettings {
  readonly machine: string;
  readonly count: number;
  readonly secret: string;
  /** Whether workers that it replaces hand their connections over to it. */
  readonly isSuccessor: boolean;
}

export const WORKER_SETTINGS = 'FWK_WORKER';
