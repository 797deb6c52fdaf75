import { PluginMisuse, type Project, slotKey } from '../../kernel/index.js';
import type { Peers } from '../../peers/index.js';

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

interface Provisions {
  readonly provided: Map<string, Provision>;
  isTaken: boolean;
  infos: readonly ProviderInfo[];
}

const PROVISIONS = slotKey<Provisions>('context.provisions');

const provisionsOf = (project: Project): Provisions =>
  project.slot(PROVISIONS, () => ({ provided: new Map(), isTaken: false, infos: [] }));

/**
 * Provide `ctx.<key>`: a singleton, as a file in `services/` provides one, which those may read. Call it in a `resolve`
 * tap with `stage: Stage.connect`. A reload keeps the value while `make` is the same function and what it reads is
 * kept. Throws for a key that is taken or cannot be one, and when it is too late.
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
    refuse(', which is not a key. Use letters and digits, and begin with a letter');
  if (typeof make !== 'function') refuse(' without a function that makes its value. Pass one');
  if (key === 'logger') refuse(', which the framework itself provides. Choose another key');
  if (other !== undefined)
    refuse(`, which plugin "${other}" provides too. Choose another key in one of them`);
  provided.set(key, { plugin, make });
}

export function takeProvided(project: Project): ReadonlyMap<string, Provision> {
  const provisions = provisionsOf(project);
  provisions.isTaken = true;
  return provisions.provided;
}

/** The values of `ctx`, as data. Known once `context` has resolved. */
export const providersOf = (project: Project): readonly ProviderInfo[] => provisionsOf(project).infos;

export function setProviders(project: Project, infos: readonly ProviderInfo[]): void {
  provisionsOf(project).infos = infos;
}
