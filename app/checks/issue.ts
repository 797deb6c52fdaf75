import type { Finding } from '../../contributions/index.js';
import type { ProblemCode } from '../../kernel/index.js';

export interface Issue extends Finding {
  /** Relative to the source directory; absent if the mistake is in the environment. */
  readonly file?: string;
  readonly code: ProblemCode;
  /** Whether the project must not start: it would serve without protection, or differently from its build. */
  readonly isRefused?: boolean;
}

/** The rule and the code of files that look as if fwk reads them. */
export const unread = { rule: 'unread-file', code: 'FWK118' } as const;

export interface PluginNames {
  readonly enabled: ReadonlySet<string>;
  readonly disabled: readonly string[];
}
