import type { Entry } from './claims.js';
import type { Contributor, Generated, Generation } from './generation.js';
import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';

/** A project whose routes are known and ready to be served. */
export interface Resolved {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
  /** Dispose of everything it made. Rejects with the first thing that failed, when all is done. */
  close(): Promise<void>;
}

/** One project with one set of plugins. Each method is one lifecycle run and includes the phases before it. */
export interface Lifecycle {
  /** The plugins that are switched on, by name. */
  readonly plugins: ReadonlyMap<string, Contributor>;
  /** The project's files as they were when they were last looked for. Reads directories the first time, and throws as `discover` does. */
  entries(): readonly Entry[];
  /** Find the project's files. Nothing is imported. Throws a BootError with what cannot be read, and with files that two plugins claim. */
  discover(): Project;
  /** Import the project and make its routes. Throws a BootError with everything that is wrong. */
  resolve(): Promise<Resolved>;
  /** Describe the files of `target`, from paths alone. Rejects as `discover` throws, and with a PluginError where a plugin fails. */
  generate(target: string, flags?: Generation['flags']): Promise<Generated>;
}
