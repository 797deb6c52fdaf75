import type { Budget } from '../sdk/byte-budget.js';
import { findResource } from '../table/table.js';
import { INVALID_PARAMS, Refused } from './client.js';
import type { Exchange } from './exchange.js';

/** What a set keeps beside the text of an entry, in bytes. */
const ENTRY = 80;

/** The resources that one client wants to hear of, within a budget of bytes. */
export class Subscriptions {
  readonly #uris = new Set<string>();
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** Throws Refused: for what there is no resource of, and when the client has subscribed to too much. */
  add(uri: string, { surface }: Exchange): void {
    if (this.#uris.has(uri)) return;
    if (!findResource(surface.table, uri))
      throw new Refused(INVALID_PARAMS, `There is no resource ${uri}`, { uri });
    if (!this.#budget.take(ENTRY + uri.length))
      throw new Refused(
        INVALID_PARAMS,
        'This client has subscribed to too much (mcp.sessionLimit): unsubscribe from something first',
      );
    this.#uris.add(uri);
  }

  delete(uri: string): void {
    if (this.#uris.delete(uri)) this.#budget.give(ENTRY + uri.length);
  }
}
