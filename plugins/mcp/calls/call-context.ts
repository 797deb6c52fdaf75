import { setImmediate } from 'node:timers/promises';
import type { Project, RuntimeCtx } from '../../../kernel/index.js';
import type { Identity } from '../definitions/call.js';
import type { Table } from '../table/table.js';

/** What one version of a project offers over MCP. */
export interface Offering {
  readonly table: Table;
  readonly project: Project;
}

/** Messages that are being answered: by which version, with which `ctx`, for whom. */
export class CallContext {
  #running = 0;
  #hasRun = false;
  #idle: (() => void) | undefined;

  constructor(
    readonly offering: Offering,
    readonly ctx: RuntimeCtx,
    readonly auth: Identity | undefined,
    readonly sessionId: string | undefined,
  ) {}

  /** Say that code of the project runs for it. Returns what says that it has ended. */
  begin(): () => void {
    this.#running += 1;
    this.#hasRun = true;
    return () => {
      this.#running -= 1;
      if (this.#running === 0) this.#idle?.();
    };
  }

  /** Resolves when no code of the project runs for it: that of a call goes on after the call was cancelled. */
  async idle(): Promise<void> {
    // What has been cancelled at once may be about to begin.
    if (!this.#hasRun) await setImmediate();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
  }
}
