import type { ProblemCode } from './codes.js';
import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';

/** A file that some plugin wants on disk. Plugins describe files; only `write` touches them. */
export interface Output {
  /** Relative to the project root. */
  readonly path: string;
  /** The whole file; for `lines`, `members` and `block` what of it is ours. */
  readonly contents: string;
  /**
   * How a file that is already there is treated. `replace`: it is ours to overwrite. `keep`: it is the user's, and overwritten
   * only by force. The others leave what is the user's as it is: `lines` appends those of our lines that are missing;
   * `members` sets the plain values of our JSON object and adds to its objects what they lack; `block` keeps ours
   * between two marker lines, in one place.
   */
  readonly ifExists: 'replace' | 'keep' | 'lines' | 'members' | 'block';
}

/**
 * A plugin, as far as other plugins and commands see it. Whatever asks plugins for more than their taps declares it as a member here, by
 * declaration merging: commands, rules for `fwk doctor`, starter files, generated types (see `contributions/`).
 */
export interface Contributor {
  /** Unique kebab-case name: the tap name, the word that `disable` takes, and in camelCase the config key of `options`. */
  readonly name: string;
}

/** One run of the `generate` hook. */
export interface Generation {
  /** The target being generated: `types`, `scaffold`, `skills`, or what a plugin brings. */
  readonly target: string;
  /** Flags of the command that asked, untouched. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly project: Project;
  /**
   * The plugins that are switched on, by name, in their order. What is written for one convention may lean on another
   * only where that is there; and what a target is composed of, its plugin asks each of them for.
   */
  readonly plugins: ReadonlyMap<string, Contributor>;
  /** Describe one file of the target. The command that asked writes it. */
  emit(output: Output): void;
  /** Tell the user something about the target that needs a hand, with the code of a mistake where it is one. */
  warn(message: string, code?: ProblemCode): void;
}

/** The result of a run of `generate`. */
export interface Generated {
  readonly outputs: readonly Output[];
  readonly warnings: readonly string[];
}

/** A project whose routes are known and ready to be served. */
export interface Resolved {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
  /** Dispose of everything it made. Rejects with the first thing that failed, when all is done. */
  close(): Promise<void>;
}
