import type { Project, RuntimeCtx } from '../../kernel/index.js';
import type { Identity } from './call.js';
import type { Table } from './table.js';

/** What one generation of a project offers over MCP. */
export interface Surface {
  readonly table: Table;
  readonly project: Project;
}

/** One message that is being answered: by which generation, with which `ctx`, for whom. */
export class Exchange {
  constructor(
    readonly surface: Surface,
    readonly ctx: RuntimeCtx,
    readonly auth: Identity | undefined,
    readonly sessionId: string | undefined,
  ) {}
}
