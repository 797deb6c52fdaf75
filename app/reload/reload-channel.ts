import { channel } from 'node:diagnostics_channel';

/** A channel of `node:diagnostics_channel`; its message is a `Reload`. */
export const RELOAD = channel('fwk.reload');

/** The result of one save in `fwk dev`. */
export interface Reload {
  /** Whether the new version serves. If not, the version before keeps serving. */
  readonly isServed: boolean;
  /** The changed files, relative to the root of the project. */
  readonly files: readonly string[];
  /** Milliseconds from when the change was seen until the result was known. */
  readonly duration: number;
  /** Why the new version does not serve. */
  readonly error: unknown;
  /** Labels of routes (`GET /api/users/:id`). Empty if the new version does not serve. */
  readonly routes: RouteChanges;
  /** A subscriber can add promises of lines, which the terminal, the dev page and assistants show below the result. */
  readonly notes: Promise<readonly string[]>[];
}

/** The routes that differ between two versions. */
export interface RouteChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Routes with another file or other middlewares than before, and routes whose files or imports have changed. */
  readonly changed: readonly string[];
}
