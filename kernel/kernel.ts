import { Activation, type ReloadObserver } from './activation.js';
import { Claims, type Entry } from './claims.js';
import { BootError } from './errors.js';
import type { Generated, Generation, Output } from './generation.js';
import { createHooks, type KernelHooks, type RunningTap } from './hooks.js';
import type { Lifecycle, Resolved } from './lifecycle.js';
import { type Loader, tellWaiting, waitingModules } from './load/index.js';
import type { Logger } from './logger.js';
import type { ProjectPaths } from './paths.js';
import type { Plugin } from './plugin.js';
import { Project } from './project.js';
import type { Metadata } from './project-run.js';
import { reportClashes } from './routes.js';
import type { Runtime } from './runtime.js';
import { scan } from './scan.js';

/** A plugin, with the values of its options. */
export interface EnabledPlugin {
  readonly plugin: Plugin;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface KernelOptions {
  readonly paths: ProjectPaths;
  readonly mode: string;
  readonly plugins: readonly EnabledPlugin[];
  readonly loader: Loader;
  readonly logger: Logger;
  /** Values that replace what the project provides, by key of `ctx`; for tests. */
  readonly overrides?: object;
  /** What is known of the project's files without importing them. */
  readonly metadata?: Metadata | undefined;
  /** `build` checks and records, and starts nothing. Default: `run`. */
  readonly purpose?: 'run' | 'build';
  /** The version that is served until this one takes over. */
  readonly previous?: Project;
  /** The project's files, where they are known. */
  readonly entries?: readonly Entry[] | undefined;
  /** All files below the source directory, claimed or not, where they are known. */
  readonly files?: readonly string[] | undefined;
}

/** Runs one project with one set of plugins. */
export class Kernel implements Lifecycle {
  readonly #running: RunningTap = { current: undefined };
  readonly #hooks = createHooks(this.#running);
  readonly #options: KernelOptions;
  #claims: Claims | undefined;
  #entries: readonly Entry[] | undefined;
  readonly plugins: ReadonlyMap<string, Plugin>;

  constructor(options: KernelOptions) {
    this.#options = options;
    this.plugins = new Map(options.plugins.map(({ plugin }) => [plugin.name, plugin]));
    applyAll(options.plugins, this.#hooks);
  }

  entries(): readonly Entry[] {
    return this.#entries ?? this.#find();
  }

  discover(): Project {
    const caller = () => this.#running.current?.plugin ?? 'unknown';
    return new Project({ ...this.#options, ...this.#options.paths, entries: this.#find(), caller });
  }

  #find(): readonly Entry[] {
    const { entries, files, paths } = this.#options;
    this.#claims ??= claimsOf(this.#hooks);
    this.#entries = entries ?? scan(paths, this.#claims, files);
    return this.#entries;
  }

  async resolve(): Promise<Resolved> {
    const project = this.discover();
    const { loader } = this.#options;
    const stop = tellWaiting(async () => [
      ...(await waitingModules(loader, project.root)),
      ...project.run.waiting,
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
    const activation = new Activation(project);
    try {
      await this.#hooks.serve.promise({ runtime: runtime, routes, project, ...activation.registrars });
      await activation.run(succession);
      return resolved;
    } catch (cause) {
      await activation.rollback(succession);
      throw cause;
    } finally {
      // A version that ends must not live on in the next.
      project.previous = undefined;
    }
  }

  async generate(target: string, flags: Generation['flags'] = {}): Promise<Generated> {
    const outputs: Output[] = [];
    const warnings: string[] = [];
    await this.#hooks.generate.promise({
      target,
      flags,
      project: this.discover(),
      plugins: this.plugins,
      emit: (output) => void outputs.push(output),
      warn: (message) => void warnings.push(message),
    });
    return { outputs, warnings };
  }
}

/** The directories that `plugins` claim files in, without any project. */
export function claimedDirectories(plugins: readonly EnabledPlugin[]): readonly string[] {
  const hooks = createHooks();
  applyAll(plugins, hooks);
  return claimsOf(hooks).directories;
}

const applyAll = (plugins: readonly EnabledPlugin[], hooks: KernelHooks): void => {
  for (const { plugin, options } of plugins) plugin.apply(hooks, options);
};

function claimsOf(hooks: KernelHooks): Claims {
  const claims = new Claims();
  hooks.discover.call(claims);
  return claims;
}
