import type { Peers } from './peers.js';
import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';

/**
 * What stays while versions of a project come and go: listening sockets, open connections. One per process run.
 */
export class Runtime {
  /** While set, a new version is being made: transports let new work wait for it. */
  reloading: Promise<void> | undefined;
  /** Set when closing had to cut off what would not end. */
  cutOff = false;
  /** Addresses that answer, for people: `http://localhost:3000/`. */
  readonly urls: string[] = [];
  readonly #kept = new Map<string, Promise<unknown>>();
  readonly #closers: (() => unknown)[] = [];

  constructor(
    /** What the run was asked to serve over; a plugin that serves over something else does nothing. */
    readonly transport: string,
    readonly host: string,
    readonly port: number,
    /** Whether versions will follow. Where none will, transports need not count their work. */
    readonly reloads: boolean,
    /** The other processes that serve the same; undefined where this is the only one. */
    readonly peers?: Peers,
  ) {}

  /**
   * Return what `key` stands for, made by `make` when first asked for, or after that had failed. Keys begin with the
   * plugin's name.
   */
  async getOrCreate<T>(key: string, make: () => Promise<T> | T): Promise<T> {
    const known = this.#kept.get(key);
    if (known) return (await known) as T;
    // At once, since another version may ask meanwhile.
    const made = (async () => make())();
    this.#kept.set(key, made);
    made.catch(() => this.#kept.delete(key));
    return made;
  }

  /** Run `close` on shutdown, before the version that serves is disposed; last registered first. */
  onClose(close: () => unknown): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) await close();
  }
}

/** What a `serve` tap gets: one version of the project, and the runtime it is served in. */
export interface Serving {
  readonly runtime: Runtime;
  readonly routes: readonly BaseRoute[];
  readonly project: Project;
  /**
   * Run `begin` when every plugin is ready, before it is checked what this version believes of files that did not
   * change: for what can be taken back, by the function that it returns.
   */
  onActivate(begin: () => () => void): void;
  /**
   * Run `begin` when all is checked and this version takes over, in the order of registration. Until then the
   * one before it serves, and should anything fail, goes on serving. Only the first version of a runtime may wait here
   * for anything: for those that follow, all of it happens at once.
   */
  onStart(begin: () => unknown): void;
  /**
   * Run `stop` when this version ends: begin nothing new, and resolve when the work that was begun is done. All of
   * them run at once; what the project holds (`project.onClose`) is disposed of after the last.
   */
  onClose(stop: () => unknown): void;
}
