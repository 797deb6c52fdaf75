import { builtins } from '../../app/builtins.js';
import { COMMAND_NAMES } from '../../app/check-plugin.js';
import { readConfig } from '../../app/config.js';
import { silentLogger } from '../../app/loggers.js';
import {
  BootError,
  Claims,
  definePlugin,
  describeProblem,
  type EnabledPlugin,
  type Hooks,
  Kernel,
  type Metadata,
  type Plugin,
  type Project,
  Stage,
} from '../../kernel/index.js';
import { errorReader, type Loader, sourceLoader, stallReporter } from '../../loader/index.js';
import { httpRoute } from '../../plugins/http/index.js';
import { ProjectLogger } from '../../scope/index.js';
import { within } from '../app/queue.js';
import type { PluginFixtures } from './fixtures.js';
import { ProjectFolder } from './folder.js';

/** The longest that any step of a plugin may take, in milliseconds. */
const TIME_LIMIT_MS = 10_000;

export interface OpenOptions {
  readonly folder: ProjectFolder;
  readonly loader?: Loader;
  readonly previous?: Project;
  readonly metadata?: Metadata;
  /** Whether the plugin is disabled, and all plugins that need it. */
  readonly isDisabled?: boolean;
}

class RecordedClaims extends Claims {
  readonly list: (readonly [kind: string, glob: string])[] = [];

  override add(kind: string, glob: string): void {
    this.list.push([kind, glob]);
    super.add(kind, glob);
  }
}

/** A plugin and its fixtures. Removes its directories when it is disposed of. */
export class Subject {
  /** Global names that existed before the plugin ran. */
  readonly pristine: readonly string[];
  readonly functions: GlobalFunctions;
  readonly #folders: ProjectFolder[] = [];

  constructor(
    readonly plugin: Plugin,
    readonly fixtures: PluginFixtures,
  ) {
    const { names, functions } = globalsBefore(plugin);
    this.pristine = names;
    this.functions = functions;
  }

  /** A new project of the fixtures, with other `texts` for some of the files. */
  folder(texts: Readonly<Record<string, string>> = {}): ProjectFolder {
    const { files, dir = '.' } = this.fixtures;
    const folder = new ProjectFolder({ ...files, ...texts }, dir);
    this.#folders.push(folder);
    return folder;
  }

  /** A kernel for the sources in a directory. Throws a ConfigError if the plugin or its options are invalid. */
  open({ folder, loader, previous, metadata, isDisabled = false }: OpenOptions): Kernel {
    const { root } = folder.paths;
    const sources = loader ?? sourceLoader(root);
    return new Kernel({
      paths: folder.paths,
      mode: 'test',
      plugins: this.#enabled(isDisabled),
      loader: sources,
      errors: errorReader(root),
      reportStalls: stallReporter(sources, root),
      makeLogger: () => new ProjectLogger(silentLogger),
      ...(previous && { previous }),
      ...(metadata && { metadata }),
    });
  }

  #enabled(isDisabled: boolean): readonly EnabledPlugin[] {
    const { plugin, fixtures } = this;
    const { plugins: others = [], config = {} } = fixtures;
    const ours = builtins();
    const isBuiltin = ours.some(({ name }) => name === plugin.name);
    const inside = ours.map((one) => (one.name === plugin.name ? plugin : one));
    const outside = isBuiltin ? others : [...others, plugin];
    const disable = [...(config.disable ?? [])];
    if (isDisabled) disable.push(...dependents(plugin.name, [...inside, ...outside]));
    const value = { ...config, plugins: outside, disable };
    return [
      ...readConfig({ file: 'fwk.config', value }, inside, COMMAND_NAMES),
      { plugin: witness(), options: {} },
    ];
  }

  /** The claims of the plugin, from `apply` and its tap of `discover`. */
  claims(): readonly (readonly [kind: string, glob: string])[] {
    const options =
      this.#enabled(false).find(({ plugin }) => plugin.name === this.plugin.name)?.options ?? {};
    const claims = new RecordedClaims(() => this.plugin.name);
    const ignored = { tapPromise() {} };
    const hooks: Hooks = {
      discover: { tap: (_tap, claim) => claim(claims) },
      resolve: ignored,
      serve: ignored,
      generate: ignored,
    };
    this.plugin.apply(hooks, options);
    return claims.list;
  }

  claimed(kernel: Kernel): readonly string[] {
    const kinds = new Set(this.claims().map(([kind]) => kind));
    return kernel.entries().flatMap(({ kind, file }) => (kinds.has(kind) ? [file] : []));
  }

  async dispose(): Promise<void> {
    for (const folder of this.#folders) folder.remove();
  }
}

/** A route of another plugin, which the tested plugin must neither lose nor change. No app serves it. */
const witness = (): Plugin =>
  definePlugin({
    name: 'fwkit-testing',
    apply(hooks) {
      hooks.resolve.tapPromise({ name: 'fwkit-testing', stage: Stage.connect }, async (routes) => [
        ...routes,
        httpRoute({
          kind: 'fwkit-testing',
          file: 'plugin "fwkit-testing"',
          method: 'GET',
          path: '/fwkit-testing',
          meta: {},
          handler: () => null,
        }),
      ]);
      hooks.resolve.tapPromise({ name: 'fwkit-testing:end', stage: Stage.front }, async (routes) =>
        routes.filter(({ kind }) => kind !== 'fwkit-testing'),
      );
    },
  });

function dependents(name: string, plugins: readonly Plugin[]): readonly string[] {
  const found = new Set([name]);
  for (const known of found)
    for (const { name: other, needs = [] } of plugins) if (needs.includes(known)) found.add(other);
  return [...found];
}

/** Wait for `work` for a limited time. `what` completes "… does not end within 10 s". */
export const inTime = <T>(what: string, work: Promise<T>): Promise<T> =>
  within(work, TIME_LIMIT_MS, () => new Finding(`${what} does not end within ${TIME_LIMIT_MS / 1000} s.`));

/** Thrown if a law cannot be checked further. The message describes the violation. */
export class Finding extends Error {}

/** Describe any thrown value as a violation. An error that is not a BootError includes where it was thrown. */
export function findingOf(thrown: unknown): string {
  if (thrown instanceof BootError) return thrown.problems.map(describeProblem).join('\n    ');
  if (!(thrown instanceof Error)) return `throws ${String(thrown)}.`;
  if (thrown instanceof Finding) return thrown.message;
  const [place] = /^ +at .*$/m.exec(String(thrown.stack)) ?? [''];
  return `${thrown.message}${place && `\n    ${place.trim()}`}`;
}

const own = (of: string, value: object): readonly string[] =>
  Object.getOwnPropertyNames(value).map((name) => `${of}${name}`);

/** Names of global variables that libraries set when they are imported, to find another copy of themselves. */
const OF_LIBRARIES = /^the global variable __zod_/;

export const globals = (): readonly string[] => [
  ...own('the global variable ', globalThis).filter((name) => !OF_LIBRARIES.test(name)),
  ...own('the environment variable ', process.env),
  ...own('Object.prototype.', Object.prototype),
  ...own('Array.prototype.', Array.prototype),
  ...own('Function.prototype.', Function.prototype),
  ...own('Promise.prototype.', Promise.prototype),
];

type GlobalFunctions = ReadonlyMap<string, unknown>;

/** The functions among the global variables. Node replaces the getters of others at their first use. */
const globalFunctions = (): GlobalFunctions =>
  new Map(
    Object.entries(Object.getOwnPropertyDescriptors(globalThis)).flatMap(([name, { value }]) =>
      typeof value === 'function' ? [[name, value]] : [],
    ),
  );

export function replacedFunctions(before: GlobalFunctions): readonly string[] {
  const now = globalFunctions();
  return [...before].flatMap(([name, value]) => (now.has(name) && now.get(name) !== value ? [name] : []));
}

interface Globals {
  readonly names: readonly string[];
  readonly functions: GlobalFunctions;
}

const before = new WeakMap<Plugin, Globals>();

/** The globals before any test of the plugin ran in this process. The first call records them. */
function globalsBefore(plugin: Plugin): Globals {
  const known = before.get(plugin) ?? { names: globals(), functions: globalFunctions() };
  before.set(plugin, known);
  return known;
}
