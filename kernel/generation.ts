import type { Project } from './project.js';

/** A file that some plugin wants on disk. Plugins describe files; only `write` touches them. */
export interface Output {
  /** Relative to the project root. */
  readonly path: string;
  readonly contents: string;
  /** `replace`: ours to overwrite. `lines`: the user's; our lines are appended where they are missing. */
  readonly ifExists: 'replace' | 'lines';
}

/** One run of the `generate` hook. */
export interface Generation {
  /** What is being generated: `types`. */
  readonly target: string;
  /** Flags of the command that asked, untouched. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly project: Project;
  /** What plugins contributed so far, in their order; for the plugin that composes the target's files. */
  readonly parts: readonly string[];
  /** Add a piece of text to what the target's plugin composes. */
  contribute(part: string): void;
  emit(output: Output): void;
  /** Tell the user something about the target that needs a hand. */
  warn(message: string): void;
}

/** What a run of `generate` came to. */
export interface Generated {
  readonly outputs: readonly Output[];
  readonly warnings: readonly string[];
}
