import { channel } from 'node:diagnostics_channel';

/** A channel of `node:diagnostics_channel`; its message is a `Reload`. */
export const RELOAD = channel('fwk.reload');

/** What one save in `fwk dev` led to. */
export interface Reload {
  /** Whether the new version serves; otherwise the one before goes on. */
  readonly isServed: boolean;
  /** What changed, relative to the root of the project. */
  readonly files: readonly string[];
  /** Milliseconds from when the change was seen until that was known. */
  readonly duration: number;
  /** Why it does not serve. */
  readonly error: unknown;
  /** Labels of routes (`GET /api/users/:id`); empty where it does not serve. */
  readonly routes: RouteChanges;
  /** What is to be told of it beside: a subscriber adds a promise of lines, which the terminal, the dev page and assistants get. */
  readonly notes: Promise<readonly string[]>[];
}

/** The routes that differ between two versions. */
export interface RouteChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Those that another file answers, or others middlewares are around, and those of which a file, or what it imports, has changed. */
  readonly changed: readonly string[];
}
