import type { ByteBudget } from '../sdk/byte-budget.js';
import { findResource } from '../table/table.js';
import type { CallContext } from './call-context.js';
import { INVALID_PARAMS, RpcError } from './client.js';

/** Memory of an entry of a set, without its text, in bytes. */
const ENTRY_OVERHEAD_BYTES = 80;

/** The resources that one client has subscribed to, within a budget of bytes. */
export class Subscriptions {
  readonly #uris = new Set<string>();
  readonly #budget: ByteBudget;

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** Throws RpcError for a URI without a resource, and when the client has subscribed to too much. */
  add(uri: string, { offering }: CallContext): void {
    if (this.#uris.has(uri)) return;
    if (!findResource(offering.table, uri))
      throw new RpcError(INVALID_PARAMS, `There is no resource ${uri}`, { uri });
    if (!this.#budget.take(ENTRY_OVERHEAD_BYTES + uri.length))
      throw new RpcError(
        INVALID_PARAMS,
        'This client has subscribed to too much (mcp.sessionLimit): unsubscribe from something first',
      );
    this.#uris.add(uri);
  }

  delete(uri: string): void {
    if (this.#uris.delete(uri)) this.#budget.give(ENTRY_OVERHEAD_BYTES + uri.length);
  }
}
