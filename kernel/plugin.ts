import type { Claims } from './claims.js';
import type { Generation } from './generation.js';
import type { OptionShape, OptionValues } from './options.js';
import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';
import type { Serving } from './serving.js';

/** Order inside one hook, passed as `stage`. Within a stage, plugins run in the order they are listed. */
export const Stage = {
  /** Add routes, attach to a transport, contribute text. The default. */
  add: 0,
  /**
   * Wrap handlers inside every other layer: read what a handler needs, and refuse what must not reach it where the layers
   * around it see that.
   */
  inside: 50,
  /** Wrap the handlers of what was added. Later wraps end up outside earlier ones. */
  wrap: 100,
  /** Come last: turn return values into responses, start to listen, compose what was contributed. */
  finish: 200,
} as const;

/** Names a tap, once per hook: the plugin's name, or `name:part` for a second one. */
export type Tap = string | { readonly name: string; readonly stage?: number };

/**
 * One hook per phase of a run: the whole surface between the kernel and a plugin. A plugin taps and never calls.
 * Asynchronous phases are tapped with a promise only.
 */
export interface Hooks {
  /** Claim files by pattern. Paths only: nothing has been read, and no I/O belongs here. */
  readonly discover: { tap(tap: Tap, claim: (claims: Claims) => void): void };
  /** Import files, add routes, then wrap their handlers. Return the routes. Once per boot, never per request. */
  readonly resolve: {
    tapPromise(
      tap: Tap,
      resolve: (routes: readonly BaseRoute[], project: Project) => Promise<readonly BaseRoute[]>,
    ): void;
  };
  /** Attach the finished routes to a transport. Once per boot. What is opened here is closed by `onClose`. */
  readonly serve: { tapPromise(tap: Tap, serve: (serving: Serving) => Promise<void>): void };
  /** Describe the files of one target. Reads paths; must not import project code or write anything. */
  readonly generate: { tapPromise(tap: Tap, generate: (generation: Generation) => Promise<void>): void };
}

/** A convention. `apply` taps hooks and does no I/O; everything else happens inside the hooks. */
export interface Plugin<Shape extends OptionShape = OptionShape> {
  /** Unique kebab-case name: the tap name, the word that `disable` takes, and the config key of `options`. */
  readonly name: string;
  /** Plugins that must be enabled for this one to make sense. */
  readonly needs?: readonly string[];
  /** What a user may set under this plugin's name in `fwk.config`. */
  readonly options?: Shape;
  apply(hooks: Hooks, options: OptionValues<Shape>): void;
}

/** Return `plugin` as it is, with the options of `apply` typed from its `options`. */
export function definePlugin<const Shape extends OptionShape>(plugin: Plugin<Shape>): Plugin {
  return plugin;
}
