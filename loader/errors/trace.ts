import type { ProblemCode } from '../../kernel/index.js';

export interface Frame {
  /** `async Store.find (src/services/store.ts:3:9)`: relative to the project's root, or from the package's name on. */
  readonly text: string;
  readonly origin: 'project' | 'package' | 'node';
}

export interface Excerpt {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Where `column` is in the text of its row, of which a part is shown if it is long. */
  readonly caret: number;
  readonly rows: readonly { readonly number: number; readonly text: string }[];
}

export interface Trace {
  /** `TypeError: x is not a function`; of a value that is no error, that it was thrown. */
  readonly headline: string;
  readonly message: string;
  /** The code of the mistake that it points at, where it is one of fwkit's or of a plugin. */
  readonly code: ProblemCode | undefined;
  readonly frames: readonly Frame[];
  readonly excerpt: Excerpt | undefined;
}

export interface Paint {
  bad(text: string): string;
  strong(text: string): string;
  dim(text: string): string;
}
