import { type Project, slotKey } from '../../../kernel/index.js';
import type { Handler } from '../response/handler.js';

/** The middlewares of one file. */
export interface Guards {
  readonly files: readonly string[];
  /** Returns `handler` inside the middlewares, without any other layer. */
  around(handler: Handler): Handler;
}

const GUARDS = slotKey<{ of: (file: string) => Guards }>('http.guards');

/** Finds the middlewares of a route's file, to learn which requests they reject. Set at `Stage.wrap`. */
export const guardsOf = (project: Project) =>
  project.slot(GUARDS, () => ({ of: () => ({ files: [], around: (handler) => handler }) }));
