import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';
import { Disposer, type SlotKey, Slots } from './values.js';

/** The way in which a run serves. The plugin of a transport extends it with what it needs: where to listen, say. */
export interface Transport {
  /** A plugin that serves over another kind does nothing. */
  readonly kind: string;
}

/** The parts of a runtime that are known when it begins. */
export type RuntimeOptions = Pick<Runtime, 'transport' | 'reloads'>;

/** Holds what outlives the versions of a project: listening sockets, open connections. One per process. */
export class Runtime {
  readonly transport: Transport;
  /** Whether versions follow the first. Where none will, transports need not count their work. */
  readonly reloads: boolean;
  /** While set, a new version is being made: transports let new work wait for it. */
  reloading: Promise<void> | undefined;
  /** Set when closing had to cut off what would not end. */
  cutOff = false;
  readonly #slots = new Slots();
  readonly #shared = new Map<string, Promise<unknown>>();
  readonly #closers = new Disposer();
  readonly #ends = new Disposer();
  #closing: Promise<void> | undefined;

  constructor({ transport, reloads }: RuntimeOptions) {
    this.transport = transport;
    this.reloads = reloads;
  }

  /** The value of `key` in this process, made by `make` when it is first asked for. `project.slot` is the same for one version. */
  slot<T>(key: SlotKey<T>, make: () => T): T {
    return this.#slots.get(key, make);
  }

  /**
   * As `slot`, for a value that takes time to make: made when it is first asked for, or asked for again after that failed. A key that one
   * plugin alone uses may be a text, which begins with the plugin's name.
   */
  async getOrCreate<T>(of: SlotKey<T> | string, make: () => Promise<T> | T): Promise<T> {
    const key = typeof of === 'string' ? of : of.name;
    const known = this.#shared.get(key);
    if (known) return (await known) as T;
    // Set before it is made, since another version may ask meanwhile.
    const made = (async () => make())();
    this.#shared.set(key, made);
    made.catch(() => this.#shared.delete(key));
    return made;
  }

  /** Run `close` on shutdown, before the version that serves is disposed of; last registered first. */
  onClose(close: () => unknown): void {
    this.#closers.defer(close);
  }

  /** Run `end` on shutdown, after the last request, service and job; last registered first. */
  onEnd(end: () => unknown): void {
    this.#ends.defer(end);
  }

  /**
   * Shut down, once: what was registered with `onClose`, then `version`, then what was registered with `onEnd`. A failure
   * keeps nothing from ending; the first is thrown then.
   */
  close(version: () => unknown): Promise<void> {
    const all = new Disposer();
    for (const step of [() => this.#ends.dispose(), version, () => this.#closers.dispose()]) all.defer(step);
    this.#closing ??= all.dispose();
    return this.#closing;
  }
}

/** The argument of a `serve` tap: one version of the project, and the runtime that serves it. */
export interface Serving {
  readonly runtime: Runtime;
  readonly routes: readonly BaseRoute[];
  readonly project: Project;
  /**
   * Run `begin` when every plugin is ready, before the metadata that this version keeps of unchanged files is
   * verified: for what can be rolled back, by the function that it returns.
   */
  onActivate(begin: () => () => void): void;
  /**
   * Run `begin` when all is verified and this version starts to serve. Until then the version before it serves, and keeps
   * serving should anything fail. They run in the order of registration, each awaited before the next. Where this version
   * replaces another, await only what is settled: were the event loop to go on, requests would reach a version of which
   * only a part has started. The services of a project (`context`) are the exception, since their `onStart` may wait.
   */
  onStart(begin: () => unknown): void;
  /**
   * Run `stop` when this version ends: begin nothing new, and resolve when the work that was begun is done. All of
   * them run at once; what the project holds (`project.onClose`) is disposed of after the last.
   */
  onClose(stop: () => unknown): void;
}
