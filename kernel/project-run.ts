import type { Entry } from './claims.js';
import type { Notice } from './errors/index.js';
import { Verification } from './verification.js';

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
