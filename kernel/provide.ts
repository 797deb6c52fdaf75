import type { Peers } from '../peers/contract/index.js';

/** The tools that the factory of a provided value gets. */
export interface ProvideTools {
  /** Run `destroy` when the value ends, after the last request that needs it. Last registered first; may be asynchronous. */
  readonly onDestroy: (destroy: () => unknown) => void;
  /**
   * Run `begin` when the app starts to serve with this value: consume a queue, start a timer. In `fwk dev` that is when
   * this version replaces the one before, and not at all if anything of it is broken. A function that it returns runs
   * when the value no longer serves: when the next version starts, before that begins, or at the end.
   */
  readonly onStart: (begin: () => unknown) => void;
  /**
   * A resource that can exist only once (a port, a lock, a connection), handed on when `fwk dev` replaces this value by that of
   * a new version: made by `make` where the version before has none of that name, and destroyed when no version is left
   * that asked for it. A promise of it is kept as a promise.
   */
  readonly keep: <T>(name: string, make: () => T, destroy?: (value: Awaited<T>) => unknown) => T;
  /**
   * The processes that serve the app, on this machine and, where a plugin connects them, on others: a counter, a cache or a lock in
   * common, messages. Nothing can be asked of them before the app serves: use them in `onStart`, or when the service is called. What the
   * value listens for ends with it.
   */
  readonly peers: Peers;
}

/** Makes the value of a key of `ctx`. A promise is awaited at boot. */
export type Provide = (tools: ProvideTools) => unknown;

/** A value that a plugin provides. */
export interface Provision {
  /** Name of the plugin. */
  readonly plugin: string;
  readonly make: Provide;
}

/** A value of `ctx`, as data. */
export interface ProviderInfo {
  /** Of `ctx`. */
  readonly key: string;
  /** Relative to the source directory; `plugin "queues"` where a plugin provides it. */
  readonly file: string;
  /** How long the value lives: `singleton`, `session`, `request`. */
  readonly lifetime: string;
  /** Set where the readiness probe asks it. */
  readonly hasHealth?: true;
}
