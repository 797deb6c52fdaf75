import type { Command, CommandAddition } from './command.js';
import type { Contributor } from './generation.js';
import type { OptionShape, OptionValues } from './options.js';
import type { Hooks } from './phases.js';

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
  /** Commands that it adds to `fwk`, in projects that have the plugin. */
  readonly commands?: readonly Command[];
  /** Its rules for `fwk doctor`, loaded for that alone. */
  readonly doctor?: () => Promise<import('./errors/finding.js').Doctor>;
  /** Its own flags of `fwk routes` and `fwk build`, and its steps of a build. */
  readonly additions?: readonly CommandAddition[];
  /** Tap the hooks. Called once for each version of a project, and must not be asynchronous. `options`: the values of its options. */
  apply(hooks: Hooks, options: OptionValues<Shape>): void;
}

/** Return `plugin` as it is, with the options of `apply` typed from its `options`. */
export function definePlugin<const Shape extends OptionShape>(plugin: Plugin<Shape>): Plugin {
  return plugin;
}
