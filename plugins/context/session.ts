import type { HttpRequest } from '../http/index.js';

/** The session of the visitor who makes one request. The `session` plugin makes it, `ctx` reads it. */
export interface Session {
  /** What the session holds for `key`; without that, a copy of what `make` makes. One object for the whole request. */
  value(key: string, make: () => unknown): unknown;
  /** Have `value` be what the session holds for `key`. Throws a TypeError for what JSON has not. */
  assign(key: string, value: unknown): void;
  /** Give the session another id with this response; what it holds stays. Throws once the response has been sent. */
  renew(): void;
  /** Forget the session and all that it holds. What is written afterwards begins another one. */
  end(): void;
  /** Keep what was written after the response. Never rejects: failures are logged. */
  close(): Promise<void>;
}

/** What a scope serves where there is no request: a visitor who is known in another way. */
export class Guest {
  constructor(
    readonly session: Session,
    /** Where it comes from, for people: `an MCP call over stdio`. */
    readonly name: string,
  ) {}
}

/** Known to every copy of this package in a process. */
const brand = Symbol.for('fwkit.session');

type Visiting = HttpRequest & { [brand]?: Session };

/** Say whose request it is. */
export function attachSession(req: HttpRequest, session: Session): void {
  (req as Visiting)[brand] = session;
}

/** The session of what a scope serves; undefined where that is no visitor. */
export const sessionOf = (origin: HttpRequest | Guest | undefined): Session | undefined =>
  origin instanceof Guest ? origin.session : (origin as Visiting | undefined)?.[brand];
