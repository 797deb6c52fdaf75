import { Activation, type ReloadObserver } from './activation.js';
import { Claims, type Entry } from './claims.js';
import type { ProjectPaths, ReportStalls } from './environment.js';
import { BootError, type FrameReader } from './errors.js';
import { applyTo, Taps } from './hooks.js';
import type { Generated, Generation, Output, Plugin, Resolved } from './plugin.js';
import { Project, type ProjectOptions } from './project.js';
import { type BaseRoute, reportClashes } from './routes.js';
import type { Runtime } from './runtime.js';
import { scan } from './scan.js';

export interface EnabledPlugin {
  readonly plugin: Plugin;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface KernelOptions extends Omit<ProjectOptions, 'entries' | 'caller' | keyof ProjectPaths> {
  readonly paths: ProjectPaths;
  readonly plugins: readonly EnabledPlugin[];
  readonly reportStalls: ReportStalls;
  /** All files below the source directory, claimed or not, if they are known. */
  readonly files?: readonly string[] | undefined;
}

/** Runs one project with one set of plugins. `resolve` and `generate` include `discover`, and `serve` includes `resolve`. */
export class Kernel {
  readonly #taps: Taps;
  readonly #options: KernelOptions;
  #claims: Claims | undefined;
  #entries: readonly Entry[] | undefined;
  #unclaimed: string[] | undefined;
  readonly plugins: ReadonlyMap<string, Plugin>;

  constructor(options: KernelOptions) {
    this.#options = options;
    this.plugins = new Map(options.plugins.map(({ plugin }) => [plugin.name, plugin]));
    this.#taps = tapsOf(options.plugins, options.errors.framesOf);
  }

  /** The files of the project: `known`, or the result of a scan. This kernel keeps the first result for all its runs. */
  entries(known?: readonly Entry[]): readonly Entry[] {
    this.#entries ??= known ?? this.#find();
    return this.#entries;
  }

  /** Whether a plugin claims a file, by its path relative to the source directory. This function does not keep the kernel in memory. */
  get claims(): (file: string) => boolean {
    this.#claims ??= claimsOf(this.#taps);
    const [{ paths }, claims] = [this.#options, this.#claims];
    return (file) => scan(paths, claims, [file]).length > 0;
  }

  /** Find the project's files without importing them. Throws a BootError for unreadable files, and files that two plugins claim. */
  discover(): Project {
    const found = { entries: this.#entries ?? this.#find(), unclaimed: this.#unclaimed };
    return new Project({ ...this.#options, ...this.#options.paths, ...found, caller: this.#taps.caller });
  }

  #find(files = this.#options.files): readonly Entry[] {
    this.#claims ??= claimsOf(this.#taps);
    if (!files) this.#unclaimed = [];
    return scan(this.#options.paths, this.#claims, files, files ? undefined : this.#unclaimed);
  }

  /** Import the project and make its routes. Throws a BootError with all problems. */
  async resolve(): Promise<Resolved> {
    const project = this.discover();
    const taps = this.#taps;
    try {
      const routes = await this.#run(project, () =>
        taps.run<readonly BaseRoute[]>(taps.resolve, [], project),
      );
      reportClashes(routes, project, taps.returned.splice(0));
      if (project.problems.length > 0) throw new BootError(project.problems);
      return { project, routes, close: () => project.close() };
    } catch (cause) {
      await project.close();
      if (!(cause instanceof BootError) || project.problems.length === 0) throw cause;
      throw new BootError([...new Set([...project.problems, ...cause.problems])]);
    }
  }

  /** Resolve, then attach the routes to the runtime's transport. `close` of the result closes this version, not the runtime. */
  async serve(runtime: Runtime, observer?: ReloadObserver): Promise<Resolved> {
    const resolved = await this.resolve();
    const { project, routes } = resolved;
    const taps = this.#taps;
    const activation = new Activation(project, (phase, run) => taps.attributeErrors(phase, run));
    const serving = { runtime, routes, project, ...activation.registrars };
    try {
      const served = this.#run(project, () => taps.run(taps.serve, serving));
      await served.finally(() => project.onClose(activation.stop));
      await activation.run(observer);
      return resolved;
    } catch (cause) {
      await activation.rollback(observer);
      throw cause;
    } finally {
      // Otherwise each version would keep all earlier versions in memory.
      project.previous = undefined;
    }
  }

  /** Describe the files of `target`, without importing the project. */
  async generate(target: string, flags: Generation['flags'] = {}): Promise<Generated> {
    const outputs: Output[] = [];
    const warnings: string[] = [];
    const project = this.discover();
    const emit = (output: Output): void => void outputs.push(output);
    const warn: Generation['warn'] = (message, code) =>
      void warnings.push(code === undefined ? message : `${code} ${message}`);
    const generation = { target, flags, project, plugins: this.plugins, emit, warn };
    await this.#run(project, () => this.#taps.run(this.#taps.generate, generation));
    return { outputs, warnings };
  }

  /** Run a phase. If it takes long, report what it waits for. */
  async #run<T>({ run }: Project, phase: () => Promise<T>): Promise<T> {
    const stop = this.#options.reportStalls(() => {
      const { running } = this.#taps;
      const plugin = running && `Plugin "${running.plugin}": waits in ${running.phase}`;
      return { files: run.waiting, plugin };
    });
    return phase().finally(stop);
  }
}

/** The directories in which `plugins` claim files, for any project. */
export const claimedDirectories = (plugins: readonly EnabledPlugin[], frames: FrameReader): string[] =>
  claimsOf(tapsOf(plugins, frames)).folders.flatMap((folder) => folder.match(/^[^/]+/) ?? []);

function tapsOf(plugins: readonly EnabledPlugin[], framesOf: FrameReader): Taps {
  const taps = new Taps(framesOf);
  for (const { plugin, options } of plugins)
    applyTo(taps, plugin.name, (hooks) => plugin.apply(hooks, options));
  return taps;
}

function claimsOf(taps: Taps): Claims {
  const claims = new Claims(taps.caller);
  taps.discover.call(claims);
  return claims;
}
