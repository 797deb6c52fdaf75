/** What processes of an app say to each other, over the channel that Node opens between parent and child. */
interface Said<Kind extends string> {
  /** Marks what is ours: an app may use the channel too. */
  readonly fwkit: Kind;
}

/** Told to all other workers. */
export interface Sent extends Said<'sent'> {
  readonly topic: string;
  readonly message: unknown;
}

/** Something to do with what the primary holds. Answered with `Answer` of the same `call`. */
export interface Asked extends Said<'asked'> {
  readonly call: number;
  readonly name: string;
  readonly act: 'get' | 'set' | 'delete' | 'turn';
  readonly key?: string;
  readonly text?: string;
  /** Seconds. */
  readonly maxAge?: number;
}

export interface Ready extends Said<'ready'> {
  readonly urls: readonly string[];
}

/** It does not get as far as to serve, and has told people why. */
export interface Told extends Said<'told'> {}

/** It was asked to end, it alone: another one is to take its place. */
export interface Resigning extends Said<'resigning'> {}

/** It accepts no more connections, but goes on to answer on those that it has. */
export interface Refusing extends Said<'refusing'> {}

/** It is about to accept no more connections. Answered with `left`, behind which none comes that was on its way. */
export interface Leaving extends Said<'leaving'> {}

/** The turn that was asked for by `call` is over. */
export interface Over extends Said<'over'> {
  readonly name: string;
  readonly call: number;
}

export interface Answer extends Said<'answer'> {
  readonly call: number;
  readonly text: string | undefined;
}

/**
 * `retire`: others serve on, so clients need not notice. `stop`: nobody will, so accept nothing more; answered with
 * `Refusing`. `finish`: nobody accepts anything, so have clients go.
 */
export type Dismissed = 'retire' | 'stop' | 'finish';
export interface Dismissal extends Said<Dismissed | 'left'> {}

export type ToPrimary = Ready | Told | Sent | Asked | Over | Resigning | Refusing | Leaving;
export type ToWorker = Sent | Answer | Dismissal;

const isOurs = (message: unknown): message is { readonly fwkit: string } =>
  typeof message === 'object' && message !== null && 'fwkit' in message && typeof message.fwkit === 'string';
const TO_PRIMARY = ['ready', 'told', 'sent', 'asked', 'over', 'resigning', 'refusing', 'leaving'];
const DISMISSED = ['retire', 'stop', 'finish'];
const TO_WORKER = ['sent', 'answer', 'left', ...DISMISSED];
export const isToPrimary = (message: unknown): message is ToPrimary =>
  isOurs(message) && TO_PRIMARY.includes(message.fwkit);
export const isToWorker = (message: unknown): message is ToWorker =>
  isOurs(message) && TO_WORKER.includes(message.fwkit);
export const isDismissed = (message: unknown): message is Said<Dismissed> =>
  isOurs(message) && DISMISSED.includes(message.fwkit);

/** What a worker is told before its first line runs, in its environment. */
export interface WorkerSettings {
  readonly count: number;
  readonly secret: string;
}

/** The variable of the environment that holds an `Enlistment` as JSON. */
export const WORKER_SETTINGS = 'FWK_WORKER';
