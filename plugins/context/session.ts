import { coded } from '../../kernel/index.js';
import { notJson } from '../../peers/index.js';
import { logFields } from '../../scope/index.js';
import type { AnyRequest } from '../http/index.js';

/** How a session ended: the visitor has logged out, for example, or the session has a new ID. */
export type SessionEnd = 'ended' | 'renewed';

/** The session of the visitor who sends a request. The `session` plugin creates it, and `ctx` reads it. */
export interface Session {
  /** The value of `key`, or a copy of the result of `make`. The same object for the whole request. */
  value(key: string, make: () => unknown): unknown;
  /** Set the value of `key`. Throws a TypeError for a value that JSON cannot represent. */
  assign(key: string, value: unknown): void;
  /** Whether the visitor has a session. A visitor for whom nothing was stored yet has none. */
  readonly isStored?: boolean;
  /**
   * Texts that prove that a request belongs to this session, for one `purpose`: HMACs of its ID in
   * base64url, first with the secret that signs, then with the secrets that only verify. If the
   * visitor has no session, or the session is renewed, the texts belong to the session that this
   * response may begin.
   */
  proofs?(purpose: string): readonly string[];
  /** Give the session a new ID with this response; its values stay. `user` owns it from now on. Throws once the response is sent. */
  renew(user?: string): void;
  /** Delete the session and all its values. A value that is written afterwards begins a new session. */
  end(): void;
  /** Delete all sessions that `user` owns. Resolves with their number. */
  endAll?(user: string): Promise<number>;
  /**
   * Call `listener` once when the session has ended or has a new ID, whether it expired or a
   * request in any process caused it. Use it for connections that outlive the request. Returns a
   * function that removes the listener.
   */
  onEnd?(listener: (how: SessionEnd) => void): () => void;
  /** Store the written values after the response. Never rejects: failures are logged. */
  close(): Promise<void>;
}

/** A visitor without a request, such as a job, that a scope belongs to. */
export class Guest {
  constructor(
    readonly session: Session,
    /** Where the scope comes from, for messages: `an MCP call over stdio`. */
    readonly name: string,
  ) {}
}

/**
 * Create the origin of a scope that has no request, such as a job:
 * `scopesOf(project).open(guest('cron/report', { job: 'report' }))`. Its session values are new and
 * never stored. `name` describes the origin of the scope in messages, and `fields` are added to
 * each line of its logger.
 */
export function guest(name: string, fields: Readonly<Record<string, unknown>> = {}): Guest {
  return Object.assign(new Guest(new FleetingSession(), name), { [logFields]: fields });
}

/** Shared by all copies of this package in a process. */
const brand = Symbol.for('fwkit.session');

type RequestWithSession = AnyRequest & { [brand]?: Session };

export function attachSession(req: AnyRequest, session: Session): void {
  (req as RequestWithSession)[brand] = session;
}

/** The session of the request or guest that a scope belongs to; undefined if it has none. */
export const sessionOf = (origin: AnyRequest | Guest | undefined): Session | undefined =>
  origin instanceof Guest ? origin.session : (origin as RequestWithSession | undefined)?.[brand];

/** A session that ends with its scope. Nothing is stored. */
export class FleetingSession implements Session {
  readonly #values = new Map<string, unknown>();

  value(key: string, make: () => unknown): unknown {
    // Always a copy, because the value of a factory may be shared.
    if (!this.#values.has(key)) this.#values.set(key, JSON.parse(storableText(make(), `ctx.${key}`)));
    return this.#values.get(key);
  }

  assign(key: string, value: unknown): void {
    storableText(value, `ctx.${key}`);
    this.#values.set(key, value);
  }

  renew(): void {}

  end(): void {
    this.#values.clear();
  }

  async close(): Promise<void> {}
}

/**
 * `T` if a session can store it, which means that JSON can represent it; otherwise `never`, as for
 * functions, Maps, Dates, other instances and promises. `undefined` is for optional properties,
 * which are left out.
 */
export type Storable<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends ((...args: never[]) => unknown) | symbol | bigint
    ? never
    : { [Key in keyof T]: Storable<T[Key]> };

/** `Storable` for a whole session value, which is `null` rather than undefined. */
export type SessionValue<T> = T extends undefined ? never : Storable<T>;

/** The type error of a value that a session cannot store. */
export interface NotStorable {
  readonly 'a session value must be JSON: plain objects, arrays, strings, numbers, booleans and null': never;
}

/** The JSON of a session value at `path`. Throws TypeError for a value that JSON cannot represent. */
export function storableText(value: unknown, path: string): string {
  const wrong = notJson(value, path);
  if (wrong !== undefined)
    throw coded(
      'FWK310',
      `${wrong}, which a session cannot store: use plain objects, arrays, strings, finite numbers, booleans and null`,
    );
  return JSON.stringify(value);
}
