import {
  type ProjectPaths,
  type ReloadObserver,
  type Renewal,
  type Runtime,
  type SourceLoader,
  sourceLoader,
} from '../../kernel/internal.js';
import { settledWithin } from '../../plugins/context/index.js';
import { httpTransportOf, serveMistakes } from '../../plugins/http/index.js';
import { describeBroken } from '../terminal/problems.js';
import { Attempt } from './attempt.js';
import { ChangeReport } from './change-report.js';
import { remember } from './remembered.js';
import { RequestHold } from './request-hold.js';
import type { Told } from './told.js';
import { type RunningVersion, renew, serveFirst, serveNext } from './version.js';
import type { Change } from './watch/index.js';

/** Milliseconds for which closing waits for versions that were replaced: one may wait for what never comes. */
const END_TIMEOUT_MS = 10_000;

/**
 * A project that is served while it is being edited. Each change makes a new version beside the one that serves,
 * which starts when it is complete; until then, and when it is broken, the one before keeps serving. Where there is none
 * yet, what is wrong is served.
 */
export class Reloader {
  readonly #locate: () => ProjectPaths;
  readonly #root: string;
  readonly #runtime: Runtime;
  readonly #hold: RequestHold;
  readonly #told: Told;
  /** Undefined until the first version serves. */
  #current: RunningVersion | undefined;
  /** The loader of the newest version, also if that came to nothing. */
  #newest: SourceLoader;
  /** Absolute paths of what changed since the current version was made. */
  readonly #changed = new Set<string>();
  /** Those that came after the last attempt was begun. */
  readonly #unprocessed = new Set<string>();
  readonly #news: ChangeReport;
  /** Versions that are replaced, and have not ended. */
  readonly #ending = new Set<Promise<void>>();
  #attempt: Attempt | undefined;
  #running: Promise<void> | undefined;
  /** When the first sign of what is under way was seen. */
  #since = 0;

  constructor(
    /** Where the project is: a source directory may come, and go. */
    locate: () => ProjectPaths,
    runtime: Runtime,
    told: Told,
  ) {
    this.#told = told;
    this.#locate = locate;
    this.#root = locate().root;
    this.#news = new ChangeReport(this.#root, this.#changed);
    this.#runtime = runtime;
    this.#hold = new RequestHold(runtime, () => void (this.#current && this.#news.late(this.#current)));
    this.#newest = sourceLoader(this.#root, 'all');
  }

  /** Resolves when something is served. Throws where nothing can be, since the port is taken say. */
  async start(): Promise<void> {
    this.#since = performance.now();
    this.#running = this.#run();
    await this.#running;
  }

  /** The version that serves. */
  get current(): RunningVersion | undefined {
    return this.#current;
  }

  /** Whether the project imports `file`, or tries to. */
  uses(file: string): boolean {
    return this.#newest.wants(file) || (this.#current?.loader.wants(file) ?? false);
  }

  /** Something, `file` maybe, has changed: requests wait until `change` has said what. */
  pending(file?: string): void {
    if (!this.#hold.isHeld) this.#since = performance.now();
    this.#hold.begin();
    // While the watcher sees whether more follows.
    if (file !== undefined) setImmediate(() => this.#newest.prepare(file));
  }

  /** Serve the project again, with these files as they are now. What is under way is outdated. */
  change(files: ReadonlyMap<string, Change>): void {
    for (const file of files.keys()) this.#unprocessed.add(file);
    if (files.size === 0) {
      if (this.#attempt?.verification) this.#hold.end();
    } else if (this.#current) this.#attempt?.outdate();
    else this.#attempt?.outdateFirst();
    this.#begin();
  }

  async close(): Promise<void> {
    this.#attempt?.giveUp();
    await this.#running;
    if (this.#current) remember(this.#current.project);
    await Promise.all([this.#current?.close(), settledWithin(Promise.all(this.#ending), END_TIMEOUT_MS)]);
  }

  #begin(): void {
    if (this.#running) return;
    if (this.#unprocessed.size === 0) this.#hold.end();
    else this.#running = this.#run();
  }

  async #run(): Promise<void> {
    do {
      for (const file of this.#unprocessed) {
        this.#changed.add(file);
        this.#news.add(file);
      }
      this.#unprocessed.clear();
      const attempt = new Attempt();
      this.#attempt = attempt;
      const made = this.#current ? this.#next(this.#current, attempt) : this.#first(attempt);
      await Promise.race([made, attempt.ended]);
      this.#told.imported(this.#newest.files);
    } while (this.#unprocessed.size > 0);
    this.#running = undefined;
    this.#hold.end();
  }

  /** Make the first version, and serve it or what is wrong with it. Rejects where nothing can be served. */
  async #first(attempt: Attempt): Promise<void> {
    const loader = sourceLoader(this.#root, 'all');
    this.#newest = loader;
    try {
      const observer = this.#observer(attempt, { loader });
      const first = await serveFirst(this.#locate(), this.#runtime, loader, observer, this.#told);
      this.#changed.clear();
      this.#current = first;
      remember(first.project);
      this.#told.served(first);
      this.#news.served(first, performance.now() - this.#since);
    } catch (thrown) {
      if (attempt.isGivenUp) return;
      // A client of another transport hears of it by the end of the process.
      if (!httpTransportOf(this.#runtime)) throw thrown;
      const { text, notices } = describeBroken(thrown, this.#root);
      // A port that is in use is the only thing to report then.
      await serveMistakes(this.#runtime, notices);
      this.#news.notServed(thrown, text, performance.now() - this.#since);
    }
  }

  /** Make the next version and start it. Never rejects: what is wrong is reported. */
  async #next(current: RunningVersion, attempt: Attempt): Promise<void> {
    const files = [...this.#changed].sort();
    try {
      const renewal = await renew(current, this.#root, files);
      this.#newest = renewal.loader;
      const observer = this.#observer(attempt, renewal, current);
      const next = await serveNext(current, { files, renewal }, this.#locate(), this.#runtime, observer);
      attempt.check();
      this.#changed.clear();
      if (!next) return this.#news.nothing(renewal);
      this.#current = next;
      this.#told.served(next);
      this.#news.reloaded(renewal, current, next, attempt.took);
      // Its last requests end in their own time.
      const ended = current
        .close()
        .catch((err) => current.project.logger.error({ err }, 'The version before did not end well'))
        .finally(() => this.#ending.delete(ended));
      this.#ending.add(ended);
    } catch (thrown) {
      if (!attempt.isGivenUp) this.#news.broken(thrown, current, performance.now() - this.#since);
    }
  }

  #observer(attempt: Attempt, { loader }: Pick<Renewal, 'loader'>, before?: RunningVersion): ReloadObserver {
    return {
      signal: attempt.signal,
      onActivate: (verification) => {
        attempt.check();
        attempt.verification = verification;
        loader.adopt();
        this.#hold.end();
        attempt.took = performance.now() - this.#since;
      },
      onStart: () => {
        attempt.check();
        this.#attempt = undefined;
      },
      onRolledBack: () => {
        attempt.verification = undefined;
        before?.loader.adopt();
        if (!attempt.isGivenUp) this.pending();
      },
    };
  }
}
