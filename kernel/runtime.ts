import type { Project } from './project.js';
import type { BaseRoute } from './routes.js';
import { Disposer, type SlotKey, Slots, type WrapCallback } from './values.js';

/** How a run serves. The plugin of a transport extends it with its options, such as the address to listen on. */
export interface Transport {
  /** Plugins for other kinds of transport ignore it. */
  readonly kind: string;
}

export type RuntimeOptions = Pick<Runtime, 'transport' | 'reloads'>;

/** Holds resources that outlive versions of a project: listening sockets, open connections. One per process. */
export class Runtime {
  readonly transport: Transport;
  /** Whether the project can be reloaded. If not, transports need not count their requests. */
  readonly reloads: boolean;
  /** Set while a new version is being made: transports delay new requests until it resolves. */
  reloading: Promise<void> | undefined;
  /** Set when closing had to abort work that did not end. */
  cutOff = false;
  /** Set while a tap of a project's plugin runs: wraps the callbacks that it registers. */
  wrapCallback: WrapCallback | undefined;
  readonly #slots = new Slots();
  readonly #shared = new Map<string, Promise<unknown>>();
  readonly #closers = new Disposer();
  readonly #ends = new Disposer();
  #closing: Promise<void> | undefined;

  constructor({ transport, reloads }: RuntimeOptions) {
    this.transport = transport;
    this.reloads = reloads;
  }

  /** The value of `key` in this process, made by `make` at the first call. `project.slot` does the same per version. */
  slot<T>(key: SlotKey<T>, make: () => T): T {
    return this.#slots.get(key, make);
  }

  /**
   * Like `slot`, for a value that is made asynchronously. If `make` fails, the next call tries again. A key that only one plugin uses
   * may be a string that begins with the plugin's name.
   */
  async getOrCreate<T>(of: SlotKey<T> | string, make: () => Promise<T> | T): Promise<T> {
    const key = typeof of === 'string' ? of : of.name;
    const known = this.#shared.get(key);
    if (known) return (await known) as T;
    // Set before it resolves, because another version may ask for it meanwhile.
    const created = (async () => make())();
    this.#shared.set(key, created);
    created.catch(() => this.#shared.delete(key));
    return created;
  }

  /** Run `close` on shutdown, before the serving version is closed; last registered first. */
  onClose(close: () => unknown, wrap = this.wrapCallback): void {
    this.#closers.defer(wrap?.('runtime.onClose', close) ?? close);
  }

  /** Run `end` on shutdown, after the last request, service and job; last registered first. */
  onEnd(end: () => unknown): void {
    this.#ends.defer(this.wrapCallback?.('runtime.onEnd', end) ?? end);
  }

  /** Shut down once: run the `onClose` callbacks, then `version`, then the `onEnd` callbacks. Throws the first failure at the end. */
  close(version: () => unknown): Promise<void> {
    const all = new Disposer();
    for (const step of [() => this.#ends.dispose(), version, () => this.#closers.dispose()]) all.defer(step);
    this.#closing ??= all.dispose();
    return this.#closing;
  }
}

/** The argument of a `serve` tap. */
export interface Serving {
  readonly runtime: Runtime;
  readonly routes: readonly BaseRoute[];
  readonly project: Project;
  /** Run `begin` when all plugins are ready, before cached metadata is verified. It returns a function that rolls it back. */
  onActivate(begin: () => () => void): void;
  /**
   * Run `begin` when this version is verified and starts to serve. If anything fails before that, the previous version keeps
   * serving. Callbacks run in the order of registration, each awaited before the next. During a reload, await only promises that
   * are already settled, because otherwise requests could reach a version that has only partly started. The services of a project
   * (`context`) are the exception, since their `onStart` may wait.
   */
  onStart(begin: () => unknown): void;
  /**
   * Run `stop` when this version ends: start no new work, and resolve when pending work is done. All callbacks run at once; then
   * the resources of the project (`project.onClose`) are closed.
   */
  onClose(stop: () => unknown): void;
}
