import { setImmediate } from 'node:timers/promises';
import type { Project } from '../../../kernel/index.js';
import type { RuntimeCtx } from '../../../scope/index.js';
import type { HttpRequest } from '../../http/index.js';
import { ActiveWork } from '../../http/internal.js';
import type { Identity } from '../definitions/call.js';
import type { Skills } from '../sdk/skills.js';
import type { Table } from '../table/table.js';
import type { Outcome } from './client.js';

/** The tools, resources and prompts that one version of a project offers. */
export interface Offering {
  readonly table: Table;
  readonly project: Project;
  readonly skills?: Skills | undefined;
  /** The origin of the app, from its own configuration. */
  readonly originOf: (req: HttpRequest) => string;
}

/** The context in which messages are answered: the answering version, its `ctx` and the user. */
export class CallContext {
  readonly #calls = new ActiveWork();
  #hasRun = false;
  /** Undefined outside of sessions. */
  sessionId: string | undefined;
  /** Returns or throws the outcome of a call that has already run: the SDK only has to write its answer. */
  outcome: (() => Outcome) | undefined;

  constructor(
    readonly offering: Offering,
    readonly ctx: RuntimeCtx,
    readonly auth: Identity | undefined,
    /** The HTTP request that carried the message; undefined over stdio. */
    readonly request: HttpRequest | undefined,
  ) {}

  /** Record that project code is running for this context. Returns a function to call when it ends. */
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
