import { coded } from '../../kernel/index.js';
import { FleetingSession, type Session, storableText } from '../context/internal.js';

/**
 * Session values of an MCP client: of the visitor whose cookie came along, else of its MCP session, which takes the place of a
 * cookie. A client with neither is a guest to middlewares, as a browser is on its first visit; a call cannot write what nobody
 * would find again.
 */
export class Visitor implements Session {
  /** Values by key of `ctx`; undefined where the client has no session. Asked when a value is read. */
  readonly #values: () => Map<string, unknown> | undefined;
  readonly #browser: Session | undefined;
  readonly #assigned = new Set<string>();
  readonly #guest = new FleetingSession();
  #isBrowser = false;
  #isCalled = false;

  constructor(values: () => Map<string, unknown> | undefined, browser?: Session) {
    this.#values = values;
    this.#browser = browser;
  }

  /** Answer messages: from here to their end, values are read by calls. */
  async answering(answer: () => Promise<void>): Promise<void> {
    this.#isCalled = true;
    try {
      await answer();
    } finally {
      this.#isCalled = false;
    }
  }

  value(key: string, make: () => unknown): unknown {
    if (this.#cookie) return this.#cookie.value(key, make);
    const values = this.#values();
    if (!values) return this.#guestOf(key).value(key, make);
    // A copy: the value of a factory may be shared between visitors.
    if (!values.has(key)) values.set(key, copyOf(make(), key));
    return values.get(key);
  }

  assign(key: string, value: unknown): void {
    if (this.#cookie) return this.#cookie.assign(key, value);
    storableText(value, `ctx.${key}`);
    const values = this.#values();
    if (!values) return this.#guestOf(key).assign(key, value);
    values.set(key, value);
    this.#assigned.add(key);
  }

  get isStored(): boolean {
    return this.#cookie?.isStored ?? false;
  }

  proofs(purpose: string): readonly string[] {
    return this.#browser?.proofs?.(purpose) ?? [];
  }

  /** The id of an MCP session is the client's secret from its beginning: there is nothing to renew. */
  renew(): void {
    this.#cookie?.renew();
  }

  end(): void {
    this.#cookie?.end();
    this.#values()?.clear();
    this.#guest.end();
    this.#assigned.clear();
  }

  /** Replace assigned values by copies, which the next call gets, as a visitor over HTTP does: others may hold the original. */
  async close(): Promise<void> {
    const values = this.#values();
    for (const key of this.#assigned) {
      const value = values?.get(key);
      // Another call may have ended the session.
      if (values?.delete(key)) values.set(key, copyOf(value, key));
    }
    this.#assigned.clear();
    await this.#browser?.close();
  }

  /** The session of the request's cookie, if there is one. It stays the visitor's when it is renewed or ended. */
  get #cookie(): Session | undefined {
    this.#isBrowser ||= this.#browser?.isStored ?? false;
    return this.#isBrowser ? this.#browser : undefined;
  }

  #guestOf(key: string): Session {
    if (!this.#isCalled) return this.#guest;
    throw coded(
      'FWK311',
      new Error(
        `ctx.${key} lives for one visitor, and an MCP client is one only in a session: the stateless protocol (2026-07-28) and "mcp: { sessions: false }" have none. Take an argument instead that says whose it is.`,
      ),
    );
  }
}

const copyOf = (value: unknown, key: string): unknown => JSON.parse(storableText(value, `ctx.${key}`));
