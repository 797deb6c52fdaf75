import { PluginMisuse, type Project, slotKey } from '../../kernel/index.js';
import type { Peers } from '../../peers/index.js';

/** The tools that the factory of a provided value gets. */
export interface ProvideTools {
  /**
   * Run `destroy` when the value ends, after the last request that needs it. Callbacks run in
   * reverse order of registration and may be asynchronous.
   */
  readonly onDestroy: (destroy: () => unknown) => void;
  /**
   * Run `begin` when the app starts to serve with this value, for example to consume a queue or
   * start a timer. In `fwk dev`, `begin` runs when this version replaces the previous one, and
   * never if any part of the version is broken. If `begin` returns a function, it runs when the
   * value stops serving: before the next version starts, or at shutdown.
   */
  readonly onStart: (begin: () => unknown) => void;
  /**
   * A resource that can exist only once (a port, a lock, a connection), which is handed over when
   * `fwk dev` replaces this value with the value of a new version. `make` creates it if the
   * previous version has none with that name, and it is destroyed when the last version that
   * requested it has ended. If `make` returns a promise, the promise is stored.
   */
  readonly keep: <T>(name: string, make: () => T, destroy?: (value: Awaited<T>) => unknown) => T;
  /**
   * The processes that serve the app, on this machine and, if a plugin connects them, on other
   * machines. They share counters, caches and locks, and exchange messages. They are unavailable
   * before the app serves: use them in `onStart`, or when the service is called. The value's
   * subscriptions end with the value.
   */
  readonly peers: Peers;
}

/** Creates the value of a key of `ctx`. A promise is awaited at startup. */
export type Provide = (tools: ProvideTools) => unknown;

/** A value that a plugin provides. */
export interface Provision {
  /** Name of the plugin. */
  readonly plugin: string;
  readonly make: Provide;
}

/** Describes a value of `ctx`. */
export interface ProviderInfo {
  /** The property of `ctx`. */
  readonly key: string;
  /** Relative to the source directory; `plugin "queues"` if a plugin provides it. */
  readonly file: string;
  /** How long the value lives: `singleton`, `session`, `request`. */
  readonly lifetime: string;
  /** Set if the readiness probe checks it. */
  readonly hasHealth?: true;
}

interface Provisions {
  readonly provided: Map<string, Provision>;
  isTaken: boolean;
  infos: readonly ProviderInfo[];
}

const PROVISIONS = slotKey<Provisions>('context.provisions');

const provisionsOf = (project: Project): Provisions =>
  project.slot(PROVISIONS, () => ({ provided: new Map(), isTaken: false, infos: [] }));

/**
 * Provide `ctx.<key>`: a singleton, like a file in `services/` provides, and which services may
 * read. Call it in a `resolve` tap with `stage: Stage.connect`. A reload keeps the value as long as
 * `make` is the same function and the values that it reads are kept. Throws if the key is taken or
 * invalid, and if it is called too late.
 */
export function provide(project: Project, key: string, make: Provide): void {
  const plugin = project.caller();
  const { provided, isTaken } = provisionsOf(project);
  const other = provided.get(key)?.plugin;
  const refuse = (why: string): never => {
    throw new PluginMisuse(`it provides ctx.${key}${why}`);
  };
  if (isTaken) refuse(' too late. Call provide in a resolve tap with stage: Stage.connect');
  if (!/^[\p{L}$][\p{L}\p{N}$]*$/u.test(key))
    refuse(', which is not a valid key. Use letters and digits, and begin with a letter');
  if (typeof make !== 'function') refuse(' without a function that creates its value. Pass one');
  if (key === 'logger') refuse(', which the framework itself provides. Choose another key');
  if (other !== undefined)
    refuse(`, which plugin "${other}" also provides. Choose another key in one of them`);
  provided.set(key, { plugin, make });
}

export function takeProvided(project: Project): ReadonlyMap<string, Provision> {
  const provisions = provisionsOf(project);
  provisions.isTaken = true;
  return provisions.provided;
}

/** Describes the values of `ctx`. Known after `context` has resolved. */
export const providersOf = (project: Project): readonly ProviderInfo[] => provisionsOf(project).infos;

export function setProviders(project: Project, infos: readonly ProviderInfo[]): void {
  provisionsOf(project).infos = infos;
}
