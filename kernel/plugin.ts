import type { Claims } from './claims.js';
import type { ProblemCode } from './codes.js';
import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';
import type { Serving } from './runtime.js';

/** The version of the plugin API: the hooks, and the arguments of their taps. */
export const PLUGIN_API_VERSION = 1;

/** A plugin. `apply` taps hooks and does no I/O; everything else happens inside the hooks. */
export interface Plugin<Shape extends OptionShape = OptionShape> extends Contributor {
  /** Names of the plugins that this plugin requires. */
  readonly needs?: readonly string[];
  /** The lowest `PLUGIN_API_VERSION` that this plugin works with. */
  readonly apiVersion?: number;
  /** The options that a user may set under this plugin's name, in camelCase, in `fwk.config`. */
  readonly options?: Shape;
  /** Tap the hooks with the values of `options`. Called once per version of a project, and must be synchronous. */
  // biome-ignore lint/suspicious/noConfusingVoidType: with `void` alone, an async function would compile.
  apply(hooks: Hooks, options: OptionValues<Shape>): undefined | void;
}

/** Returns `plugin` unchanged. It infers the option types of `apply` from `options`. */
export function definePlugin<const Shape extends OptionShape>(plugin: Plugin<Shape>): Plugin {
  return plugin;
}

/**
 * The order of the taps of one hook, lowest stage first. Within a stage, plugins run in the order in which they are listed. In
 * `resolve`, a layer that wraps a handler later runs outside of the layers that wrapped it earlier.
 */
export const Stage = {
  /** Open connections that other plugins use; provide keys of `ctx`. */
  connect: -100,
  /** Use the connections that `connect` has opened. */
  connected: -99,
  /** Add routes, attach to a transport. The default. */
  add: 0,
  /** Check and prepare the added routes, before their handlers are wrapped. */
  check: 1,
  /** Wrap handlers directly, inside all other layers. */
  innermost: 49,
  /** Wrap handlers inside the middlewares: parse the input, reject requests in a way that outer layers can see. */
  inside: 50,
  /** Wrap handlers as middlewares call them, to observe their arguments and results. */
  probe: 99,
  /** Wrap handlers in middlewares. */
  wrap: 100,
  /** Reject requests before middlewares run: rate limits, the origin of a form. */
  refuse: 190,
  /** Wrap handlers in the middlewares that see these rejections. */
  outermost: 191,
  /** Remove layers that no route needs. */
  trim: 199,
  /** Turn the results of handlers into responses. */
  respond: 200,
  /** Observe handlers that return responses. */
  responded: 201,
  /** Find the session of a client that has no cookies. */
  client: 299,
  /** Find the session that a request belongs to. */
  session: 300,
  /** Identify the user of a request by other means than a session cookie. */
  visitor: 400,
  /** Inspect a version before it is served. */
  inspect: 499,
  /** Start to listen; assemble the descriptions of earlier stages. */
  finish: 500,
  /** Run before all other layers and before the request body is read; add routes that no list shows. */
  front: 700,
  /** Pass the finished routes to the server. */
  last: Number.MAX_SAFE_INTEGER,
} as const;

/** Names a tap, once per hook: the plugin's name, or `name:part` for a second one. */
export type Tap = string | { readonly name: string; readonly stage?: number };

/** One hook per phase. They are the whole interface between the kernel and a plugin: a plugin taps hooks and never calls them. */
export interface Hooks {
  /** Claim files by glob. Nothing has been read yet, and no I/O belongs here. */
  readonly discover: { tap(tap: Tap, claim: (claims: Claims) => void): void };
  /** Import files, add routes, then wrap their handlers. Return the routes. Once per boot, never per request. */
  readonly resolve: {
    tapPromise(
      tap: Tap,
      resolve: (routes: readonly BaseRoute[], project: Project) => Promise<readonly BaseRoute[]>,
    ): void;
  };
  /** Attach the finished routes to a transport. Once per boot. `onClose` closes everything that is opened here. */
  readonly serve: { tapPromise(tap: Tap, serve: (serving: Serving) => Promise<void>): void };
  /** Describe the files of one target. Reads paths; must not import project code or write anything. */
  readonly generate: { tapPromise(tap: Tap, generate: (generation: Generation) => Promise<void>): void };
}

/** One option of a plugin: its default and the values that it accepts. */
export interface Option<T> {
  /** The value if the config does not set the option. */
  readonly fallback: T;
  /** Completes "must be …", with the unit if there is one. */
  readonly expected: string;
  /** Whether the config may set this value. Other values are rejected with `expected`. */
  accepts(value: unknown): value is T;
}

/** The options of a plugin, by name. */
export type OptionShape = Readonly<Record<string, Option<unknown>>>;

export type OptionValues<Shape extends OptionShape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Option<infer T> ? T : never;
};

/** The values that a user may write for a shape of options in `fwk.config`. */
export type OptionInput<Shape extends OptionShape> = Partial<OptionValues<Shape>>;

/** A generated file. Plugins describe files, and the command writes them. */
export interface Output {
  /** Relative to the project root. */
  readonly path: string;
  /** The whole file; for `lines`, `members` and `block` only the generated part. */
  readonly contents: string;
  /**
   * What to do if the file exists. `replace` overwrites it. `keep` overwrites it only with `--force`. The others preserve the user's
   * text: `lines` appends missing lines; `members` sets plain values of a JSON object and adds missing members to nested objects;
   * `block` replaces the text between two marker lines.
   */
  readonly ifExists: 'replace' | 'keep' | 'lines' | 'members' | 'block';
}

/**
 * A plugin as other plugins and commands see it. Contributions other than taps are members that are added by declaration merging:
 * commands, rules for `fwk doctor`, starter files, generated types (see `contributions/`).
 */
export interface Contributor {
  /** Unique kebab-case name, for taps and `disable`. In camelCase, it is the config key of `options`. */
  readonly name: string;
}

/** One run of the `generate` hook. */
export interface Generation {
  /** `types`, `scaffold`, `skills`, or a target that a plugin adds. */
  readonly target: string;
  /** The unchanged flags of the command. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly project: Project;
  /** The enabled plugins by name, in order. Generated files may depend only on these plugins. */
  readonly plugins: ReadonlyMap<string, Contributor>;
  /** Add one file to the target. The command writes it. */
  emit(output: Output): void;
  /** Warn the user that something has to be done by hand; `code` is for a mistake. */
  warn(message: string, code?: ProblemCode): void;
}

export interface Generated {
  readonly outputs: readonly Output[];
  readonly warnings: readonly string[];
}

/** A project with its routes, ready to be served. */
export interface Resolved {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
  /** Dispose of all resources of the project. Rejects with the first failure after all are disposed of. */
  close(): Promise<void>;
}
