import { setImmediate } from 'node:timers/promises';
import type { Project, RuntimeCtx } from '../../../kernel/index.js';
import type { Identity } from '../definitions/call.js';
import type { Table } from '../table/table.js';
import { ActiveCalls } from './active-calls.js';

/** What one version of a project offers over MCP. */
export interface Offering {
  readonly table: Table;
  readonly project: Project;
}

/** Messages that are being answered: by which version, with which `ctx`, for whom. */
export class CallContext {
  readonly #calls = new ActiveCalls();
  #hasRun = false;

  constructor(
    readonly offering: Offering,
    readonly ctx: RuntimeCtx,
    readonly auth: Identity | undefined,
    readonly sessionId: string | undefined,
  ) {}

  /** Say that code of the project runs for it. Returns what says that it has ended. */
  begin(): () => void {
    this.#hasRun = true;
    return this.#calls.begin();
  }

  /** Resolves when no code of the project runs for it: that of a call goes on after the call was cancelled. */
  async idle(): Promise<void> {
    // What has been cancelled at once may be about to begin.
    if (!this.#hasRun) await setImmediate();
    await this.#calls.idle();
  }
}
