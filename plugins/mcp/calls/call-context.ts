import { setImmediate } from 'node:timers/promises';
import { Deferred, type Project } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { HttpRequest } from '../../http/index.js';
import type { Identity } from '../definitions/call.js';
import type { Table } from '../table/table.js';

/** The tools, resources and prompts that one version of a project offers. */
export interface Offering {
  readonly table: Table;
  readonly project: Project;
}

/** The context in which messages are answered: the answering version, its `ctx` and the user. */
export class CallContext {
  readonly #calls = new ActiveCalls();
  #hasRun = false;

  constructor(
    readonly offering: Offering,
    readonly ctx: RuntimeCtx,
    readonly auth: Identity | undefined,
    readonly sessionId: string | undefined,
    /** The HTTP request that carried the message; undefined over stdio. */
    readonly request: HttpRequest | undefined,
  ) {}

  /**
   * Record that project code is running for this context. Returns a function to call when it ends.
   */
  begin(): () => void {
    this.#hasRun = true;
    return this.#calls.begin();
  }

  /** Resolves when no project code runs for this context. Code of a cancelled call may run on. */
  async idle(): Promise<void> {
    // Code for a call that was cancelled immediately may be about to start.
    if (!this.#hasRun) await setImmediate();
    await this.#calls.idle();
  }
}

/** Counts work that has started and not finished. */
export class ActiveCalls {
  #count = 0;
  #idle: Deferred | undefined;

  /** Count one more run. Returns a function to call when it ends. */
  begin(): () => void {
    this.#count += 1;
    return () => {
      this.#count -= 1;
      if (this.#count === 0) this.#idle?.resolve();
    };
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    if (this.#count === 0) return;
    this.#idle = new Deferred();
    await this.#idle.promise;
  }
}
