import type { ProblemCode } from '../../kernel/index.js';

export interface Frame {
  /** `async Store.find (src/services/store.ts:3:9)`: relative to the project's root, or to the folder that contains the package. */
  readonly text: string;
  readonly origin: 'project' | 'package' | 'node';
}

export interface Excerpt {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The position of `column` in the shown text of its row; of a long row only a part is shown. */
  readonly caret: number;
  readonly rows: readonly { readonly number: number; readonly text: string }[];
}

export interface Trace {
  /** `TypeError: x is not a function`; for a value that is not an error, that it was thrown. */
  readonly headline: string;
  readonly message: string;
  /** The error code, if it is one of fwkit's or of a plugin. */
  readonly code: ProblemCode | undefined;
  readonly frames: readonly Frame[];
  readonly excerpt: Excerpt | undefined;
}

export interface Paint {
  bad(text: string): string;
  strong(text: string): string;
  dim(text: string): string;
}
