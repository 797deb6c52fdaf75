import type { Files } from '../../harness/project.js';

/** One rule of the language or of Node's loader, as something that can be seen. */
export interface Case {
  /** Modules in a directory of their own; `main.ts` is imported. */
  readonly files: Files;
  /** What the default export of `main.ts` is, or gives when called, as JSON; or what importing it throws. */
  readonly gives: unknown;
}

/** Cases by what they show. */
export type Cases = Readonly<Record<string, Case>>;
