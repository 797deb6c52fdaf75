import { coded } from '../../kernel/index.js';
import { FleetingSession, type Session, storableText } from '../context/internal.js';

/**
 * Session values of an MCP client: from the session of the request's cookie, else from its MCP
 * session. For middlewares, a client with neither is a guest, like a browser on its first visit;
 * its calls cannot write values, because a later call could not find them again.
 */
export class Visitor implements Session {
  readonly #assigned = new Set<string>();
  readonly #guest = new FleetingSession();
  #isBrowser = false;
  #isCalled = false;

  constructor(
    /** Values by key of `ctx`; undefined if the client has no session. Called when a value is read. */
    private readonly values: () => Map<string, unknown> | undefined,
    private readonly browser?: Session,
  ) {}

  /** Answer messages: while it runs, calls may read values. */
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
    const values = this.values();
    if (!values) return this.#guestOf(key).value(key, make);
    // A copy, because visitors may share the value of a factory.
    if (!values.has(key)) values.set(key, copyOf(make(), key));
    return values.get(key);
  }

  assign(key: string, value: unknown): void {
    if (this.#cookie) return this.#cookie.assign(key, value);
    storableText(value, `ctx.${key}`);
    const values = this.values();
    if (!values) return this.#guestOf(key).assign(key, value);
    values.set(key, value);
    this.#assigned.add(key);
  }

  /** The session of a request to a route: the session of the cookie, or a guest's. */
  get forRoutes(): Session {
    return this.#cookie ?? new FleetingSession();
  }

  get isStored(): boolean {
    return this.#cookie?.isStored ?? false;
  }

  proofs(purpose: string): readonly string[] {
    return this.browser?.proofs?.(purpose) ?? [];
  }

  /** The ID of an MCP session has been the client's secret from the start, so it needs no renewal. */
  renew(): void {
    this.#cookie?.renew();
  }

  end(): void {
    this.#cookie?.end();
    this.values()?.clear();
    this.#guest.end();
    this.#assigned.clear();
  }

  /** Replace assigned values by copies, as over HTTP: other code may hold the original. */
  async close(): Promise<void> {
    const values = this.values();
    for (const key of this.#assigned) {
      const value = values?.get(key);
      // Another call may have ended the session.
      if (values?.delete(key)) values.set(key, copyOf(value, key));
    }
    this.#assigned.clear();
    await this.browser?.close();
  }

  /** The session of the request's cookie. It stays the visitor's when it is renewed or ended. */
  get #cookie(): Session | undefined {
    this.#isBrowser ||= this.browser?.isStored ?? false;
    return this.#isBrowser ? this.browser : undefined;
  }

  #guestOf(key: string): Session {
    if (!this.#isCalled) return this.#guest;
    throw coded(
      'FWK311',
      new Error(
        `ctx.${key} is a session value, and this MCP client has no session: the stateless protocol (2026-07-28) and "mcp: { sessions: false }" have none. Identify the owner by an argument instead.`,
      ),
    );
  }
}

const copyOf = (value: unknown, key: string): unknown => JSON.parse(storableText(value, `ctx.${key}`));
