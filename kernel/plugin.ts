import type { Claims } from './claims.js';
import type { Contributor, Generation } from './lifecycle.js';
import type { OptionShape, OptionValues } from './options.js';
import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';
import type { Serving } from './runtime.js';

/** The version of the plugin API: these hooks, and what their taps get. A plugin that needs a newer one says so in `apiVersion`. */
export const PLUGIN_API_VERSION = 1;

/** A convention. `apply` taps hooks and does no I/O; everything else happens inside the hooks. */
export interface Plugin<Shape extends OptionShape = OptionShape> extends Contributor {
  /** Plugins that must be enabled for this one to make sense. */
  readonly needs?: readonly string[];
  /** The version of the plugin API that it was written for, where an older one will not do. */
  readonly apiVersion?: number;
  /** The options that a user may set under this plugin's name, in camelCase, in `fwk.config`. */
  readonly options?: Shape;
  /** Tap the hooks. Called once for each version of a project, and must not be asynchronous. `options`: the values of its options. */
  apply(hooks: Hooks, options: OptionValues<Shape>): void;
}

/** Return `plugin` as it is, with the options of `apply` typed from its `options`. */
export function definePlugin<const Shape extends OptionShape>(plugin: Plugin<Shape>): Plugin {
  return plugin;
}

/**
 * The order inside one hook, passed as `stage`: numbers, lowest first. Within a stage, plugins run in the order in which
 * they are listed. In `resolve`, what wraps a handler later ends up outside of what wrapped it earlier.
 */
export const Stage = {
  /** Open connections that others build on; provide keys of `ctx`. */
  connect: -100,
  /** Use the connections that `connect` has opened. */
  connected: -99,
  /** Add routes, attach to a transport. The default. */
  add: 0,
  /** Check and prepare the routes that were added, before anything is around their handlers. */
  check: 1,
  /** Wrap handlers directly: nothing is inside of it. */
  innermost: 49,
  /** Wrap handlers inside every other layer: read what a handler needs, refuse what layers around it are to see. */
  inside: 50,
  /** Wrap handlers as middlewares call them, to see what they are given and return. */
  probe: 99,
  /** Wrap the handlers of what was added: middlewares. */
  wrap: 100,
  /** Refuse requests before middlewares run: rate limits, the origin of a form. */
  refuse: 190,
  /** Take out layers that turned out to be around nothing that needs them. */
  trim: 199,
  /** Turn what handlers return into responses. */
  respond: 200,
  /** Look at handlers that return responses. */
  responded: 201,
  /** Find the session of a client that has no cookies. */
  client: 299,
  /** Find the session that a request belongs to. */
  session: 300,
  /** Say who a request comes from, where that is known by other means than a session's cookie. */
  visitor: 400,
  /** Look at a version before it is served. */
  inspect: 499,
  /** Come last: start to listen, compose what was described. */
  finish: 500,
  /** Run in front of everything that answers a request, before its body is read; add routes that no list shows. */
  front: 700,
  /** Hand the finished routes to the server. Nothing comes after it. */
  last: Number.MAX_SAFE_INTEGER,
} as const;

/** Names a tap, once per hook: the plugin's name, or `name:part` for a second one. */
export type Tap = string | { readonly name: string; readonly stage?: number };

/**
 * One hook per phase of a run: the whole interface between the kernel and a plugin. A plugin taps and never calls.
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
