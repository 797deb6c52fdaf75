import type { Kernel, Metadata, ReloadObserver, Resolved } from '../../kernel/index.js';
import { type SourceLoader, sourceLoader } from '../../loader/index.js';
import { httpTransport } from '../../plugins/http/internal.js';
import { scopesOf } from '../../scope/index.js';
import type { PluginTestApp } from './fixtures.js';
import type { ProjectFolder } from './folder.js';
import { Resources, WatchedRuntime } from './resources.js';
import { findingOf, inTime, type Subject } from './subject.js';

export const STARTED = 'After the start';

interface RunningVersion extends Resolved {
  readonly kernel: Kernel;
  readonly loader: SourceLoader;
}

interface NextVersion extends RunningVersion {
  /** Whether the event loop ran between its first onStart and the last, so that a half-started version was visible. */
  readonly hasWaited: boolean;
}

interface Edit {
  readonly files: readonly string[];
  readonly metadata?: Metadata;
  /** Called first when the new version starts. If it throws, the version is rolled back. */
  readonly onStart?: () => void;
  readonly isDisabled?: boolean;
}

/** Call `check` with a project that can be served, and end the project afterwards. */
export async function withRun<T>(
  subject: Subject,
  folder: ProjectFolder,
  check: (run: Run) => Promise<T>,
): Promise<T> {
  const run = new Run(subject, folder);
  try {
    return await check(run);
  } finally {
    await run.close().finally(() => run.resources.stop());
  }
}

/** A project that is served as `fwk dev` serves it: one runtime, and one version after the other. */
export class Run {
  readonly #transport = httpTransport('localhost', 0);
  readonly runtime = new WatchedRuntime(this.#transport);
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
      const serving = kernel.serve(this.runtime, observer(loader));
      this.#current = { ...(await inTime('The start of the project', serving)), kernel, loader };
      return this.#current;
    });
  }

  /** Replace the serving version by a new version, and end the old one. Rejects with the error that prevents it. */
  next({ files, onStart, ...edit }: Edit): Promise<NextVersion> {
    return this.resources.run(async () => {
      const before = this.#serving();
      const { loader } = await before.loader.renew(files);
      const { folder } = this;
      const kernel = this.subject.open({ folder, loader, previous: before.project, ...edit });
      let hasWaited = false;
      let waiting: NodeJS.Immediate | undefined;
      const started = () => {
        onStart?.();
        waiting = setImmediate(() => {
          hasWaited = true;
        });
      };
      const serving = kernel.serve(this.runtime, observer(loader, before.loader, started));
      const resolved = await inTime('A reload', serving);
      clearImmediate(waiting);
      const next = { ...resolved, kernel, loader, hasWaited };
      this.#current = next;
      await inTime('The version that a reload replaced', before.close());
      return next;
    });
  }

  #serving(): RunningVersion {
    if (!this.#current) throw new Error('nothing serves yet');
    return this.#current;
  }

  /** Check whether the plugin works. If it does not, resolves with a sentence that begins with `when`. */
  async failures(when: string): Promise<readonly string[]> {
    const { project, routes } = this.#serving();
    const [url] = this.#transport.urls;
    const fetchPath = (path: string, init?: RequestInit) => {
      if (url === undefined) throw new Error('nothing listens: the plugin "http" is disabled');
      // A keep-alive connection would only be closed with the app.
      const headers = new Headers(init?.headers);
      headers.set('connection', 'close');
      return fetch(new URL(path, url), { ...init, headers });
    };
    const ctx = scopesOf(project).outside as PluginTestApp['ctx'];
    const app = { url, fetch: fetchPath, routes, ctx, runtime: this.runtime };
    try {
      const { works } = this.subject.fixtures;
      await this.resources.withoutTracking(() => inTime('works()', Promise.resolve(app).then(works)));
      return [];
    } catch (thrown) {
      return [`${when}, the plugin does not work: ${findingOf(thrown)}`];
    }
  }

  async close(): Promise<void> {
    const version = this.#current;
    this.#current = undefined;
    if (version)
      await inTime(
        'Closing the app',
        this.resources.run(() => this.runtime.close(() => version.close())),
      );
  }
}

const observer = (
  loader: SourceLoader,
  before?: SourceLoader,
  onStart: () => void = () => {},
): ReloadObserver => ({
  signal: new AbortController().signal,
  onActivate: (verification) => {
    loader.adopt();
    // At once, without waiting for further edits.
    verification.startNow();
  },
  onStart,
  onRolledBack: () => before?.adopt(),
});
