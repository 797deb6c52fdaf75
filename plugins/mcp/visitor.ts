import { type Session, storableText } from '../context/index.js';

/** Session values of an MCP client. Its MCP session takes the place of a browser's cookie. */
export class Visitor implements Session {
  /** Values by key of `ctx`; undefined where the client has no session. Asked when a value is read. */
  readonly #values: () => Map<string, unknown> | undefined;
  readonly #assigned = new Set<string>();

  constructor(values: () => Map<string, unknown> | undefined) {
    this.#values = values;
  }

  value(key: string, make: () => unknown): unknown {
    const values = this.#valuesWith(key);
    // A copy: the value of a factory may be shared between visitors.
    if (!values.has(key)) values.set(key, copyOf(make(), key));
    return values.get(key);
  }

  assign(key: string, value: unknown): void {
    storableText(value, `ctx.${key}`);
    this.#valuesWith(key).set(key, value);
    this.#assigned.add(key);
  }

  /** The id of an MCP session is the client's secret from its beginning: there is nothing to renew. */
  renew(): void {}

  end(): void {
    this.#values()?.clear();
    this.#assigned.clear();
  }

  /**
   * Replace assigned values by copies, which the next call gets, as a visitor over HTTP does: others may hold the
   * original.
   */
  async close(): Promise<void> {
    const values = this.#values();
    for (const key of this.#assigned) {
      const value = values?.get(key);
      // Another call may have ended the session.
      if (values?.delete(key)) values.set(key, copyOf(value, key));
    }
    this.#assigned.clear();
  }

  #valuesWith(key: string): Map<string, unknown> {
    const values = this.#values();
    if (values) return values;
    throw new Error(
      `ctx.${key} lives for one visitor, and an MCP client is one only in a session: the stateless protocol (2026-07-28) and "mcp: { sessions: false }" have none. Take an argument instead that says whose it is.`,
    );
  }
}

const copyOf = (value: unknown, key: string): unknown => JSON.parse(storableText(value, `ctx.${key}`));
