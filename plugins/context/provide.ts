import { PluginMisuse, type Project, slotKey } from '../../kernel/index.js';
import { isProvider, type Provider, type ProvideTools } from './provider.js';

/** Creates the value of a key of `ctx`. A promise is awaited at startup. */
export type Provide = (tools: ProvideTools) => unknown;

/** A value that a plugin provides. */
export interface Provision {
  /** Name of the plugin. */
  readonly plugin: string;
  readonly make: Provide | Provider;
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
 * `make` is the same function and the values that it reads are kept. For a value per request, pass
 * `di({ lifetime: 'request', value: (ctx, { req }) => … })`. Throws if the key is taken or invalid,
 * and if it is called too late.
 */
export function provide(project: Project, key: string, make: Provide | Provider): void {
  const plugin = project.caller();
  const { provided, isTaken } = provisionsOf(project);
  const other = provided.get(key)?.plugin;
  const refuse = (why: string): never => {
    throw new PluginMisuse(`it provides ctx.${key}${why}`);
  };
  if (isTaken) refuse(' too late. Call provide in a resolve tap with stage: Stage.connect');
  if (!isCtxKey(key)) refuse(INVALID_KEY);
  if (typeof make !== 'function' && !isProvider(make))
    refuse(' without a function that creates its value. Pass one, or the result of di()');
  if (key === 'logger') refuse(', which the framework itself provides. Choose another key');
  if (other !== undefined)
    refuse(`, which plugin "${other}" also provides. Choose another key in one of them`);
  provided.set(key, { plugin, make });
}

/** Whether a plugin may provide a value under this key. */
export const isCtxKey = (key: unknown): boolean =>
  typeof key === 'string' && /^[\p{L}$][\p{L}\p{N}$]*$/u.test(key);

export const INVALID_KEY = ', which is not a valid key. Use letters and digits, and begin with a letter';

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
