import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Entry } from './claims.js';
import type { Notice } from './errors.js';
import { Deferred } from './values.js';

/** Wait before checks begin: if another edit follows at once, checking this version is pointless. */
const DEBOUNCE_MS = 100;

/** Checks yield to the event loop after this time, so that requests are answered. */
const MAX_BLOCKING_MS = 5;

/** Metadata that plugins recorded about files, by file, in a build or in the previous version. */
export type Metadata = ReadonlyMap<string, unknown>;

/** For plugins that cache route metadata so that modules load lazily. Most plugins don't need it. */
export class ProjectRun {
  /** `build` imports modules to check them, and starts nothing. */
  readonly purpose: 'run' | 'build';
  readonly recorded = new Map<string, unknown>();
  readonly verification = new Verification();
  /** While this version serves because a newer version failed: the problems of the newer version. */
  staleNotices: readonly Notice[] = [];
  /**
   * Whether cached metadata has to be verified, because a dependency of a file may have changed. True for metadata of the previous
   * version or of an earlier process, but not of a build.
   */
  mustVerify = false;
  readonly #cached: Metadata;
  readonly #waiting = new Set<string>();

  constructor(purpose: 'run' | 'build', cached: Metadata) {
    this.purpose = purpose;
    this.#cached = cached;
  }

  /**
   * The metadata recorded for a file by a build, or by an earlier version if the file has not changed since. Its dependencies may
   * have changed: if `mustVerify` is set, add a check to `verification`.
   */
  cachedMetadata({ file }: Entry): unknown {
    return this.#cached.get(file);
  }

  /** Record metadata of a file, as JSON, so that production and the next version need not import the file. */
  recordMetadata({ file }: Entry, metadata: unknown): void {
    this.recorded.set(file, metadata);
  }

  /** Report `line` if the work takes long. Call the returned function when the work is done. */
  wait(line: string): () => void {
    this.#waiting.add(line);
    return () => this.#waiting.delete(line);
  }

  /** The unfinished work, one line each. */
  get waiting(): readonly string[] {
    return [...this.#waiting].sort();
  }
}

/** Cached metadata is out of date: the version has to be made again without it. */
export class StaleMetadata extends Error {}

/** Verifies the cached metadata of unchanged files whose dependencies changed. The version already answers requests meanwhile. */
export class Verification {
  readonly #checks: (() => Promise<boolean>)[] = [];
  readonly #hurried = new Deferred();
  readonly #ended = new Deferred();
  readonly #skipped = new Deferred();
  #isOver = false;
  /** Set by a transport when it answers a client during verification. Such a version is rolled back only if it is wrong. */
  hasAnswered = false;
  /** Whether verification ended early. A request that meets a remaining mistake reports it. */
  hasSkippedChecks = false;
  /** Start the checks without waiting for the debounce. */
  readonly startNow = this.#hurried.resolve;
  /** Resolves when it is known which version serves. */
  readonly settled = this.#ended.promise;

  /** Add a check of one file. It resolves with whether the metadata is still valid, and reports problems of the file itself. */
  add(check: () => Promise<boolean>): void {
    this.#checks.push(check);
  }

  /** Run all checks, until `end` or `skipRemainingChecks`. Rejects with StaleMetadata if a check fails. */
  async run(): Promise<void> {
    if (this.#checks.length > 0) await Promise.race([this.#check(), this.#skipped.promise]);
  }

  /** Skip the remaining checks: the version serves from now on, unless a check has already failed. */
  skipRemainingChecks(): void {
    this.hasSkippedChecks = true;
    this.#skipped.resolve();
  }

  /** Settle which version serves, and drop the remaining checks. */
  end(): void {
    this.#isOver = true;
    this.#ended.resolve();
  }

  async #check(): Promise<void> {
    await Promise.race([setTimeout(DEBOUNCE_MS, undefined, { ref: false }), this.#hurried.promise]);
    let began = performance.now();
    for (const check of this.#checks) {
      if (this.#isOver || this.hasSkippedChecks) return;
      if (!(await check())) throw new StaleMetadata();
      if (performance.now() - began < MAX_BLOCKING_MS) continue;
      await setImmediate();
      began = performance.now();
    }
  }
}
