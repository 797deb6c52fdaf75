import { setImmediate } from 'node:timers/promises';
import type { Project } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { HttpRequest } from '../../http/index.js';
/** The offering of one version of a project. */
import { ActiveWork } from '../../http/internal.js';
import type { Identity } from '../definitions/call.js';
import type { Table } from '../table/table.js';
export interface Offering {
  readonly table: Table;
  readonly project: Project;
}

/** The context in which messages are answered: the version that answers, its `ctx`, the user. */
export class CallContext {
  readonly #calls = new ActiveWork();
  #hasRun = false;

  constructor(
    readonly offering: Offering,
    readonly ctx: RuntimeCtx,
    readonly auth: Identity | undefined,
    readonly sessionId: string | undefined,
    /** The request that brought the message; undefined over stdio. */
    readonly request: HttpRequest | undefined,
  ) {}

  /** Note that code of the project runs for it. Returns a function to call when that has ended. */
  begin(): () => void {
    this.#hasRun = true;
    return this.#calls.begin();
  }

  /** Resolves when no code of the project runs for it: that of a cancelled call may still run. */
  async idle(): Promise<void> {
    // Code for a call that was cancelled at once may be about to begin.
    if (!this.#hasRun) await setImmediate();
    await this.#calls.idle();
  }
}
