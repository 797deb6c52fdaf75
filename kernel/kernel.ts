import { Activation, type ReloadObserver } from './activation.js';
import { Claims } from './claims.js';
import { type LoadedConfig, readConfig } from './config.js';
import { BootError } from './errors.js';
import type { Generated, Generation, Output } from './generation.js';
import { createHooks } from './hooks.js';
import { type Loader, tellWaiting, waitingModules } from './load/index.js';
import type { Logger } from './logger.js';
import type { ProjectPaths } from './paths.js';
import type { Plugin } from './plugin.js';
import { type Entry, type Metadata, Project } from './project.js';
import { type BaseRoute, reportClashes } from './routes.js';
import { scan } from './scan.js';
import type { Runtime } from './serving.js';

export interface KernelOptions {
  readonly paths: ProjectPaths;
  readonly mode: string;
  readonly config: LoadedConfig;
  readonly builtins: readonly Plugin[];
  readonly loader: Loader;
  readonly logger: Logger;
  /** Values that replace what the project provides, by key of `ctx`; for tests. */
  readonly overrides?: object;
  /** What is known of the project's files without importing them. */
  readonly facts?: Metadata | undefined;
  /** `build` checks and records, and starts nothing. Default: `run`. */
  readonly purpose?: 'run' | 'build';
  /** The version that is served until this one takes over. */
  readonly previous?: Project;
  /** The project's files, where they are known. */
  readonly entries?: readonly Entry[] | undefined;
  /** All files below the source directory, claimed or not, where they are known. */
  readonly files?: readonly string[] | undefined;
}

/** A project whose routes are known and ready to be served. `close` disposes of everything it made. */
export interface Resolved {
  readonly project: Project;
  readonly routes: readonly BaseRoute[];
  close(): Promise<void>;
}

/** One project with one set of plugins. Each method is one lifecycle run and includes the phases before it. */
export class Kernel {
  readonly #hooks = createHooks();
  readonly #claims = new Claims();
  readonly #options: KernelOptions;
  #entries: readonly Entry[] | undefined;
  /** Names of the plugins that are switched on. */
  readonly plugins: ReadonlySet<string>;

  /** Throws ConfigError when the config is wrong. */
  constructor(options: KernelOptions) {
    this.#options = options;
    const enabled = readConfig(options.config, options.builtins);
    this.plugins = new Set(enabled.map(({ plugin }) => plugin.name));
    for (const { plugin, options } of enabled) plugin.apply(this.#hooks, options);
    this.#hooks.discover.call(this.#claims);
  }

  /** The project's files, as they were when they were last looked for. */
  get entries(): readonly Entry[] {
    return this.#entries ?? this.#find();
  }

  /** Find the project's files. Nothing is imported. */
  discover(): Project {
    return new Project({ ...this.#options, ...this.#options.paths, entries: this.#find() });
  }

  #find(): readonly Entry[] {
    const { entries, files, paths } = this.#options;
    this.#entries = entries ?? scan(paths, this.#claims, files);
    return this.#entries;
  }

  /** Import the project and make its routes. Throws a BootError that tells everything that is wrong. */
  async resolve(): Promise<Resolved> {
    const project = this.discover();
    const { loader } = this.#options;
    const stop = tellWaiting(async () => [
      ...(await waitingModules(loader, project.root)),
      ...project.waiting,
    ]);
    try {
      const routes = await this.#hooks.resolve.promise([], project);
      reportClashes(routes, project);
      if (project.problems.length > 0) throw new BootError(project.problems);
      return { project, routes, close: () => project.close() };
    } catch (cause) {
      await project.close();
      throw cause;
    } finally {
      stop();
    }
  }

  /** Resolve, then attach the routes to the runtime's transport. `close` ends this version, not the runtime. */
  async serve(runtime: Runtime, succession?: ReloadObserver): Promise<Resolved> {
    const resolved = await this.resolve();
    const { project, routes } = resolved;
    const handover = new Activation(project);
    try {
      await this.#hooks.serve.promise({ runtime: runtime, routes, project, ...handover.registrars });
      await handover.run(succession);
      return resolved;
    } catch (cause) {
      await handover.rollback(succession);
      throw cause;
    } finally {
      // A version that ends must not live on in the next.
      project.previous = undefined;
    }
  }

  /** Describe the files of `target`, from paths alone. */
  async generate(target: string, flags: Generation['flags'] = {}): Promise<Generated> {
    const outputs: Output[] = [];
    const parts: string[] = [];
    const warnings: string[] = [];
    await this.#hooks.generate.promise({
      target,
      flags,
      project: this.discover(),
      plugins: this.plugins,
      parts,
      contribute: (part) => void parts.push(part),
      emit: (output) => void outputs.push(output),
      warn: (message) => void warnings.push(message),
    });
    return { outputs, warnings };
  }
}
