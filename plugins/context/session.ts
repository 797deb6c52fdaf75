import { coded } from '../../kernel/index.js';
import { notJson } from '../../peers/index.js';
import { logFields } from '../../scope/index.js';
import type { AnyRequest } from '../http/index.js';

/** What became of a session: its visitor has logged out, say, or has another id now. */
export type SessionEnd = 'ended' | 'renewed';

/** The session of the visitor who makes one request. The `session` plugin makes it, `ctx` reads it. */
export interface Session {
  /** The value of `key`; where the session has none, a copy of what `make` returns. One object for the whole request. */
  value(key: string, make: () => unknown): unknown;
  /** Set the value of `key`. Throws a TypeError for what JSON cannot represent. */
  assign(key: string, value: unknown): void;
  /** Whether the visitor has a session: one for whom nothing was kept yet has none. */
  readonly isStored?: boolean;
  /**
   * Texts that prove to be of this session, for one `purpose`: HMACs of its id, base64url, by the secret that signs now and then
   * by those that only verify. Of a visitor without a session, or whose session is renewed, those of the session that this
   * response may begin.
   */
  proofs?(purpose: string): readonly string[];
  /** Give the session another id with this response; what it holds stays. Throws once the response has been sent. */
  renew(): void;
  /** Delete the session and all that it holds. A value that is written afterwards begins another one. */
  end(): void;
  /**
   * Call `listener` once when the session has ended, by its time or by whichever request in whichever process, or has another id: for
   * what outlives the request. Returns a function that ends it.
   */
  onEnd?(listener: (how: SessionEnd) => void): () => void;
  /** Store what was written after the response. Never rejects: failures are logged. */
  close(): Promise<void>;
}

/** A visitor without a request, whom a scope serves. */
export class Guest {
  constructor(
    readonly session: Session,
    /** Where it comes from, for people: `an MCP call over stdio`. */
    readonly name: string,
  ) {}
}

/**
 * The origin of a scope that serves no request, such as a job: `scopesOf(project).open(guest('cron/report', { job: 'report' }))`.
 * Session values are new ones that nothing stores. `name` tells people where the scope comes from, and `fields` are added to each
 * line of its logger.
 */
export function guest(name: string, fields: Readonly<Record<string, unknown>> = {}): Guest {
  return Object.assign(new Guest(new FleetingSession(), name), { [logFields]: fields });
}

/** Known to every copy of this package in a process. */
const brand = Symbol.for('fwkit.session');

type Visiting = AnyRequest & { [brand]?: Session };

export function attachSession(req: AnyRequest, session: Session): void {
  (req as Visiting)[brand] = session;
}

/** The session of the request or guest that a scope serves; undefined where it has none. */
export const sessionOf = (origin: AnyRequest | Guest | undefined): Session | undefined =>
  origin instanceof Guest ? origin.session : (origin as Visiting | undefined)?.[brand];

/** A session that ends with its scope. Nothing is stored. */
export class FleetingSession implements Session {
  readonly #values = new Map<string, unknown>();

  value(key: string, make: () => unknown): unknown {
    // Always a copy: the value of a factory may be shared.
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
 * `T` where a session can store it: what JSON can represent. Functions, Maps, Dates, other instances and promises are
 * never. `undefined` is for optional properties, which are left out.
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
  readonly 'a session value is what JSON has: plain objects, arrays, strings, numbers, booleans and null': never;
}

/** The JSON of a session value. `path` is where it is, for the TypeError that is thrown for what JSON cannot represent. */
export function storableText(value: unknown, path: string): string {
  const wrong = notJson(value, path);
  if (wrong !== undefined)
    throw coded(
      'FWK310',
      `${wrong}, which a session cannot store: keep plain objects, arrays, strings, finite numbers, booleans and null`,
    );
  return JSON.stringify(value);
}
