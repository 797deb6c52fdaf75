import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Entry } from './claims.js';
import type { Notice } from './errors.js';
import { Deferred } from './values.js';

/** Milliseconds in which another change may come: an edit that follows at once makes checking this one pointless. */
const DEBOUNCE_MS = 100;

/** Milliseconds of checking after which requests have their turn. */
const MAX_BLOCKING_MS = 5;

/** Metadata that plugins recorded of the files of a project, by file: in a build, or in the version before. */
export type Metadata = ReadonlyMap<string, unknown>;

/** For plugins that cache route metadata so that modules load lazily. Most plugins need none of it. */
export class ProjectRun {
  /** `build`: modules are imported to be checked, and nothing of the project is started. */
  readonly purpose: 'run' | 'build';
  /** The metadata that plugins recorded in this run, by file. */
  readonly recorded = new Map<string, unknown>();
  /** Verifies the metadata that this version keeps from the one before. */
  readonly verification = new Verification();
  /** Why a newer version of the project does not serve, one per problem; this one still does. */
  staleNotices: readonly Notice[] = [];
  /**
   * Whether cached metadata has to be verified, since something that a file imports may have changed: that of the version
   * before, or of an earlier process. A build has checked its own.
   */
  mustVerify = false;
  readonly #cached: Metadata;
  readonly #waiting = new Set<string>();

  constructor(purpose: 'run' | 'build', cached: Metadata) {
    this.purpose = purpose;
    this.#cached = cached;
  }

  /**
   * The metadata recorded of a file, by a build, or by an earlier version if the file did not change since. What it imports
   * may have: with `mustVerify`, `verification.add` a check.
   */
  cachedMetadata({ file }: Entry): unknown {
    return this.#cached.get(file);
  }

  /** Record what is known of a file, as JSON, so that production and the next version need not import it. */
  recordMetadata({ file }: Entry, metadata: unknown): void {
    this.recorded.set(file, metadata);
  }

  /** Report `line` to people should it take long. Returns a function to call when it is done. */
  wait(line: string): () => void {
    this.#waiting.add(line);
    return () => this.#waiting.delete(line);
  }

  /** The work that is not done, one line each. */
  get waiting(): readonly string[] {
    return [...this.#waiting].sort();
  }
}

/** Metadata kept from the version before is no longer true: the version has to be made without any. */
export class StaleMetadata extends Error {}

/**
 * Verifies the metadata that a version keeps of files that did not change, though something that they import did.
 * The version answers already meanwhile.
 */
export class Verification {
  readonly #checks: (() => Promise<boolean>)[] = [];
  readonly #hurried = new Deferred();
  readonly #ended = new Deferred();
  readonly #cut = new Deferred();
  #isOver = false;
  /** Whether a client was answered meanwhile: a transport sets it. What was seen is rolled back only if it is wrong. */
  hasAnswered = false;
  /** Whether it ended before everything was checked: what is still wrong then is reported by the request that meets it. */
  isCutShort = false;
  /** Check now. */
  readonly startNow = this.#hurried.resolve;
  /** Resolves when it is known which version serves. */
  readonly settled = this.#ended.promise;

  /** Add a check, which resolves with whether the metadata of a file is still true, and itself reports what is wrong with the file. */
  add(check: () => Promise<boolean>): void {
    this.#checks.push(check);
  }

  /** Check everything, unless it ends before. Rejects with StaleMetadata. */
  async run(): Promise<void> {
    if (this.#checks.length > 0) await Promise.race([this.#check(), this.#cut.promise]);
  }

  /** Check nothing more: the version serves from now on, unless something wrong has been found. */
  cutShort(): void {
    this.isCutShort = true;
    this.#cut.resolve();
  }

  /** It is known which version serves: what is not checked by now never is. */
  end(): void {
    this.#isOver = true;
    this.#ended.resolve();
  }

  async #check(): Promise<void> {
    await Promise.race([setTimeout(DEBOUNCE_MS, undefined, { ref: false }), this.#hurried.promise]);
    let began = performance.now();
    for (const check of this.#checks) {
      if (this.#isOver || this.isCutShort) return;
      if (!(await check())) throw new StaleMetadata();
      if (performance.now() - began < MAX_BLOCKING_MS) continue;
      await setImmediate();
      began = performance.now();
    }
  }
}
