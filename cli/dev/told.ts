import type { Kernel } from '../../kernel/internal.js';
import type { RunningVersion } from './version.js';

/** Who is told of what comes about. */
export interface Told {
  /** Called with the absolute paths of what has been imported, after each attempt to serve. */
  readonly imported: (files: ReadonlySet<string>) => void;
  /** Called when the first version begins to answer. */
  readonly activated: () => void;
  /** Called where the first version answers before all of it is verified. */
  readonly answering: (kernel: Kernel) => void;
  /** Called with each version that begins to serve. */
  readonly served: (version: RunningVersion) => void;
}
