import type { Session } from '../context/index.js';

/** Session values of an MCP client: its session is the visitor, as a browser with its cookie is elsewhere. */
export class Visitor implements Session {
  /** Values by key of `ctx`; undefined where the client has no session. Asked when a value is read. */
  readonly #values: () => Map<string, unknown> | undefined;

  constructor(values: () => Map<string, unknown> | undefined) {
    this.#values = values;
  }

  value(key: string, make: () => unknown): unknown {
    const values = this.#values();
    if (!values)
      throw new Error(
        `ctx.${key} lives for one visitor, and an MCP client is one only in a session: the stateless protocol (2026-07-28) and "mcp: { sessions: false }" have none. Take an argument instead that says whose it is.`,
      );
    // A copy: what a factory gives may be shared between visitors.
    if (!values.has(key)) values.set(key, structuredClone(make()));
    return values.get(key);
  }

  /** The id of an MCP session is the client's secret from its beginning: there is nothing to renew. */
  renew(): void {}

  end(): void {
    this.#values()?.clear();
  }

  async close(): Promise<void> {}
}
