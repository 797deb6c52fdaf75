import type { Files } from '../../harness/project.js';

/** One rule of the language or of Node's loader, as something that can be seen. */
export interface Case {
  /** Modules in a directory of their own; `main.ts` is imported. */
  readonly files: Files;
  /** The default export of `main.ts`, or its result if it is a function, as JSON; or the error of importing it. */
  readonly gives: unknown;
}

/** Cases by their claim. */
export type Cases = Readonly<Record<string, Case>>;
