import type { Kernel, Metadata, ReloadObserver, Resolved } from '../../kernel/index.js';
import { type SourceLoader, sourceLoader } from '../../loader/index.js';
import { httpTransport } from '../../plugins/http/internal.js';
import { scopesOf } from '../../scope/index.js';
import type { PluginTestApp } from './fixtures.js';
import type { ProjectFolder } from './folder.js';
import { type Inventory, Resources, WatchedRuntime } from './resources.js';
import { findingOf, inTime, type Subject } from './subject.js';

/** When works() is called first. */
export const STARTED = 'in a project that has just started';

export interface RunningVersion extends Resolved {
  readonly kernel: Kernel;
  readonly loader: SourceLoader;
}

export interface NextVersion extends RunningVersion {
  /** Whether the event loop ran between its first onStart and the last, so that a half-started version was visible. */
  readonly hasWaited: boolean;
}

export interface Edit {
  readonly files: readonly string[];
  readonly metadata?: Metadata;
  readonly observer?: Partial<ReloadObserver>;
  /** Whether the plugin is disabled in the new version. */
  readonly isDisabled?: boolean;
}

/** A project that is served as `fwk dev` serves it: one runtime, and one version after the other. */
export class Run {
  readonly #transport = httpTransport('localhost', 0);
  readonly #runtime = new WatchedRuntime(this.#transport);
  readonly resources = new Resources();
  #current: RunningVersion | undefined;

  constructor(
    private readonly subject: Subject,
    readonly folder: ProjectFolder,
  ) {}

  start(): Promise<RunningVersion> {
    return this.resources.run(async () => {
      const loader = sourceLoader(this.folder.paths.root);
      const kernel = this.subject.open({ folder: this.folder, loader });
      const serving = kernel.serve(this.#runtime, observed(loader));
      const first = { ...(await inTime('The start of the project', serving)), kernel, loader };
      this.#current = first;
      return first;
    });
  }

  /** Replace the serving version by a new version, and end the old one. Rejects with the error that prevents it. */
  next({ files, metadata, observer = {}, isDisabled = false }: Edit): Promise<NextVersion> {
    return this.resources.run(async () => {
      const before = this.current;
      const { loader } = await before.loader.renew(files);
      const previous = before.project;
      const { folder } = this;
      const options = { folder, loader, previous, isDisabled, ...(metadata && { metadata }) };
      const kernel = this.subject.open(options);
      let hasWaited = false;
      let waiting: NodeJS.Immediate | undefined;
      const onStart = () => {
        observer.onStart?.();
        waiting = setImmediate(() => {
          hasWaited = true;
        });
      };
      const serving = kernel.serve(this.#runtime, observed(loader, before.loader, { ...observer, onStart }));
      const resolved = await inTime('A reload', serving);
      clearImmediate(waiting);
      const next = { ...resolved, kernel, loader, hasWaited };
      this.#current = next;
      await inTime('The version that a reload replaced', before.close());
      return next;
    });
  }

  get current(): RunningVersion {
    if (!this.#current) throw new Error('nothing serves yet');
    return this.#current;
  }

  /** Check whether the plugin works. If it does not, resolves with a sentence that contains `when`. */
  async failures(when: string): Promise<readonly string[]> {
    const { project, routes } = this.current;
    const [url] = this.#transport.urls;
    const fetchPath = (path: string, init?: RequestInit) => {
      if (url === undefined) throw new Error('nothing listens: the plugin "http" is disabled');
      // A keep-alive connection would only be closed with the app.
      return fetch(new URL(path, url), { ...init, headers: closing(init?.headers) });
    };
    const ctx = scopesOf(project).outside as PluginTestApp['ctx'];
    const app = { url, fetch: fetchPath, routes, ctx, runtime: this.#runtime };
    try {
      const { works } = this.subject.fixtures;
      await this.resources.aside(() => inTime('works()', Promise.resolve(app).then(works)));
      return [];
    } catch (thrown) {
      return [`It does not work ${when}: ${findingOf(thrown)}`];
    }
  }

  settled(expected: Inventory): Promise<Inventory> {
    return this.resources.settled(expected);
  }

  registered(): Inventory {
    return this.#runtime.registered();
  }

  async close(): Promise<void> {
    const version = this.#current;
    this.#current = undefined;
    const closing = this.resources.run(() => this.#runtime.close(() => version?.close()));
    await inTime('Closing the app', closing);
  }

  /** Stop watching. Call this last, even after a failure. */
  async dispose(): Promise<void> {
    try {
      if (this.#current) await this.close();
    } finally {
      this.resources.stop();
    }
  }
}

function closing(headers: RequestInit['headers']): Headers {
  const closing = new Headers(headers);
  closing.set('connection', 'close');
  return closing;
}

const observed = (
  loader: SourceLoader,
  before?: SourceLoader,
  observer: Partial<ReloadObserver> = {},
): ReloadObserver => ({
  signal: new AbortController().signal,
  onActivate: (verification) => {
    loader.adopt();
    observer.onActivate?.(verification);
    // At once, without waiting for further edits.
    verification.startNow();
  },
  onStart: () => observer.onStart?.(),
  onRolledBack: () => {
    before?.adopt();
    observer.onRolledBack?.();
  },
});
