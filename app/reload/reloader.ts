import { sep } from 'node:path';
import {
  Deferred,
  type Kernel,
  type ProjectPaths,
  type ReloadObserver,
  type Runtime,
  toPosix,
  type Verification,
} from '../../kernel/index.js';
import { type Renewal, type SourceLoader, sourceLoader } from '../../loader/index.js';
import { settledWithin } from '../../plugins/context/index.js';
import { httpTransportOf, serveMistakes } from '../../plugins/http/index.js';
import { ChangeReport, describeFailure, type ReloadReporter } from './change-report.js';
import { storeMetadata } from './remembered-metadata.js';
import { type RunningVersion, renew, serveFirst, serveNext, type VersionHost } from './version.js';

export interface ReloadHost extends VersionHost {
  readonly reporter: ReloadReporter;
}

export interface ReloadListeners {
  /** Called with the absolute paths of all imported files, after each attempt to serve a version. */
  readonly imported: (files: Iterable<string>) => void;
  readonly activated: () => void;
  /** Called if the first version answers before all of its remembered metadata is verified. */
  readonly answering: (kernel: Kernel) => void;
  readonly served: (version: RunningVersion) => void;
}

/** The longest that closing waits for replaced versions to end, in milliseconds: a request of theirs may never end. */
const END_TIMEOUT_MS = 10_000;

/** Serves a project while it is being edited. The version that serves keeps serving until the next one is complete, and if it is broken. */
export class Reloader {
  readonly #root: string;
  readonly #hold: RequestHold;
  readonly #host: ReloadHost;
  #current: RunningVersion | undefined;
  /** The loader of the newest version, even if that version never served. */
  #newest: SourceLoader;
  #claims: (file: string) => boolean = () => false;
  /** Absolute paths of the files that changed since the current version was created. */
  readonly #changed = new Set<string>();
  readonly #unprocessed = new Set<string>();
  readonly #report: ChangeReport;
  readonly #ending = new Set<Promise<void>>();
  #attempt: Attempt | undefined;
  /** Whether the watcher has seen the first sign of a change that it has not reported yet. */
  #isChangePending = false;
  #running: Promise<void> | undefined;
  #since = 0;

  constructor(
    private readonly locate: () => ProjectPaths,
    private readonly runtime: Runtime,
    host: ReloadHost,
    private readonly listeners: ReloadListeners,
  ) {
    this.#host = {
      ...host,
      open: async (paths, run) => {
        const kernel = await host.open(paths, run);
        const { claims } = kernel;
        const inside = paths.source + sep;
        this.#claims = (file) => file.startsWith(inside) && claims(toPosix(file.slice(inside.length)));
        return kernel;
      },
    };
    this.#root = locate().root;
    this.#report = new ChangeReport(this.#root, this.#changed, host.reporter);
    this.#hold = new RequestHold(runtime, () => void (this.#current && this.#report.delayed(this.#current)));
    this.#newest = sourceLoader(this.#root, 'all');
  }

  /** Resolves when a version, or the mistakes of the project, are served. Throws if neither is possible: the port may be in use. */
  async start(): Promise<void> {
    this.#since = performance.now();
    this.#running = this.#run();
    await this.#running;
  }

  get current(): RunningVersion | undefined {
    return this.#current;
  }

  uses(file: string): boolean {
    return this.#newest.wants(file) || (this.#current?.loader.wants(file) ?? false) || this.#claims(file);
  }

  /** Something has changed, probably `file`: requests wait until `change` is called with the changes. */
  pending(file: string): void {
    this.#isChangePending = true;
    this.#holdRequests();
    // Meanwhile the watcher waits for further changes.
    setImmediate(() => this.#newest.prepare(file));
  }

  /** Serve the project again with the new contents of `files`, by absolute path. An attempt under way is outdated. */
  change(files: ReadonlyMap<string, unknown>): void {
    this.#isChangePending = false;
    for (const file of files.keys()) this.#unprocessed.add(file);
    if (files.size === 0) {
      if (this.#attempt?.verification) this.#release();
    } else if (this.#current) this.#attempt?.outdate();
    else this.#attempt?.outdateFirst();
    this.#begin();
  }

  async close(): Promise<void> {
    this.#attempt?.abandon();
    await this.#running;
    if (this.#current) storeMetadata(this.#current.project, this.#host);
    await Promise.all([this.#current?.close(), settledWithin(Promise.all(this.#ending), END_TIMEOUT_MS)]);
  }

  #begin(): void {
    if (this.#running) return;
    if (this.#unprocessed.size === 0) this.#release();
    else this.#running = this.#run();
  }

  async #run(): Promise<void> {
    do {
      for (const file of this.#unprocessed) {
        this.#changed.add(file);
        this.#report.add(file);
      }
      this.#unprocessed.clear();
      const attempt = new Attempt();
      this.#attempt = attempt;
      const serving = this.#current ? this.#next(this.#current, attempt) : this.#first(attempt);
      await Promise.race([serving, attempt.ended]);
      this.listeners.imported(this.#newest.files.keys());
    } while (this.#unprocessed.size > 0);
    this.#running = undefined;
    this.#release();
  }

  #holdRequests(): void {
    if (!this.#hold.isHolding) this.#since = performance.now();
    this.#hold.begin();
  }

  /** Requests continue, unless files have changed that the version does not contain: they wait for the next version. */
  #release(): void {
    this.#hold.end();
    if (this.#isChangePending || this.#unprocessed.size > 0) this.#holdRequests();
  }

  async #first(attempt: Attempt): Promise<void> {
    const loader = sourceLoader(this.#root, 'all');
    this.#newest = loader;
    try {
      const observer = this.#observer(attempt, { loader });
      const first = await serveFirst(
        this.#host,
        this.locate(),
        this.runtime,
        loader,
        observer,
        this.listeners,
      );
      this.#changed.clear();
      this.#current = first;
      storeMetadata(first.project, this.#host);
      this.listeners.served(first);
      this.#report.served(first, performance.now() - this.#since);
    } catch (thrown) {
      if (attempt.isAbandoned) return;
      // Only HTTP can serve mistakes. The client of another transport sees the process end.
      if (!httpTransportOf(this.runtime)) throw thrown;
      const { error, notices } = describeFailure(thrown, this.#root);
      // If this throws because the port is in use, that is the only thing to report.
      await serveMistakes(this.runtime, notices);
      this.#report.notServed(thrown, error, performance.now() - this.#since);
    }
  }

  async #next(current: RunningVersion, attempt: Attempt): Promise<void> {
    const files = [...this.#changed].sort();
    try {
      const renewal = await renew(current, this.#root, files);
      this.#newest = renewal.loader;
      const observer = this.#observer(attempt, renewal, current);
      const edit = { files, renewal };
      const next = await serveNext(this.#host, current, edit, this.locate(), this.runtime, observer);
      attempt.check();
      this.#changed.clear();
      if (!next) return this.#report.unchanged(renewal);
      this.#current = next;
      this.listeners.served(next);
      this.#report.reloaded(renewal, current, next, attempt.took);
      const ended = current
        .close()
        .catch((err) => current.project.logger.error({ err }, 'The previous version failed to shut down'))
        .finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
    } catch (thrown) {
      if (!attempt.isAbandoned) this.#report.broken(thrown, current, performance.now() - this.#since);
    }
  }

  #observer(attempt: Attempt, { loader }: Pick<Renewal, 'loader'>, before?: RunningVersion): ReloadObserver {
    return {
      signal: attempt.signal,
      onActivate: (verification) => {
        attempt.check();
        attempt.verification = verification;
        loader.adopt();
        attempt.took = performance.now() - this.#since;
        this.#release();
      },
      onStart: () => {
        attempt.check();
        this.#attempt = undefined;
      },
      onRolledBack: () => {
        attempt.verification = undefined;
        before?.loader.adopt();
        if (!attempt.isAbandoned) this.#holdRequests();
      },
    };
  }
}

/** Milliseconds after which the first version counts as stuck, and a change gives it up. */
const STUCK_AFTER_MS = 2_000;

class Attempt {
  readonly #controller = new AbortController();
  readonly #began = performance.now();
  readonly signal: ReloadObserver['signal'] = this.#controller.signal;
  readonly ended = new Promise<void>((resolve) => {
    this.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  /** Set while the version already answers requests, and is not verified yet. */
  verification: Verification | undefined;
  /** Milliseconds from the first event of the change until the version answered. */
  took = 0;

  get isAbandoned(): boolean {
    return this.signal.aborted;
  }

  abandon(): void {
    this.#controller.abort();
  }

  /** The sources have changed. A version that has answered a client keeps serving: if the change is broken, it is the last good one. */
  outdate(): void {
    if (this.verification?.hasAnswered) this.verification.skipRemainingChecks();
    else this.abandon();
  }

  /** The sources of the first version have changed. It may have changed them itself while it starts, so it is not given up at once. */
  outdateFirst(): void {
    if (this.verification) this.verification.skipRemainingChecks();
    else if (performance.now() - this.#began > STUCK_AFTER_MS) this.abandon();
  }

  check(): void {
    if (this.isAbandoned) throw new Error('cancelled: its files have changed');
  }
}

/** Milliseconds for which requests wait for a new version. After that, the last good version answers. */
const MAX_HOLD_MS = 2_000;

/** Holds requests from the first event of a change until its version serves, or turns out to be broken. */
class RequestHold {
  #released: Deferred | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly runtime: Runtime,
    private readonly onTimeout: () => void,
  ) {}

  get isHolding(): boolean {
    return this.#released !== undefined;
  }

  begin(): void {
    if (this.isHolding) return;
    this.#released = new Deferred();
    this.runtime.reloading = this.#released.promise;
    this.#timer = setTimeout(() => {
      this.end();
      this.onTimeout();
    }, MAX_HOLD_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.runtime.reloading = undefined;
    this.#released?.resolve();
    this.#released = undefined;
  }
}
