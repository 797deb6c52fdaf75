import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, coded, type Logger } from '../../kernel/index.js';
import type { Fields, MemoryEntry, SharedMemory } from '../../peers/index.js';
import { logSafely, scopeLogger } from '../../scope/index.js';
import type { SessionEnd } from '../context/internal.js';
import type { CookieOptions, HttpRequest, HttpResponse } from '../http/index.js';
import type { SessionEnds } from './ends.js';
import type { UserSessions } from './users.js';

export interface SessionSettings {
  readonly cookie: string;
  /** How long a session lasts without a visit, in seconds. */
  readonly maxAge: number;
  /** How long a session lasts after it began or was renewed, in seconds; 0: no limit. */
  readonly maxLifetime: number;
  /** Whether the cookie is `Secure`; `auto`: only if it is set over HTTPS. */
  readonly secure: boolean | 'auto';
  /** Maximum size of the values of one session, in bytes. */
  readonly maxSize: number;
}

/** Where sessions are stored, and how IDs are signed. Outlives a version of the project. */
export interface SessionBackend {
  /** JSON by key of `ctx`, under the ID of a session. */
  readonly memory: SharedMemory;
  readonly signer: Signer;
  readonly ends: SessionEnds;
  readonly users: UserSessions;
  readonly clock: Clock;
}

export const NOTHING: Fields = Object.freeze({});

/** The field with the previous ID, as long as it may not have ended. No key of `ctx` is empty. */
const FORMER = '';

/** The field with the time in seconds when the session began, if `session.maxLifetime` is set. */
const STARTED = ' started';

/** The field with the user of a session: the time in seconds when the session was last listed for the user, `:` and the user. */
const OWNER = ' user';

/** The user that `renewSession` has set for a session with these fields. */
export const ownerOf = ({ [OWNER]: text }: Fields): string | undefined => text?.slice(text.indexOf(':') + 1);

interface Move {
  readonly known: Fields;
  readonly written: Fields;
  readonly user?: string | undefined;
  onCreated(): void;
}

/** All sessions of a project: the cookie (name, signature, attributes) and the stored data. */
export class Sessions {
  readonly #settings: SessionSettings;
  readonly #cookie: string;
  #opened: SessionBackend | undefined;

  constructor(
    settings: SessionSettings,
    readonly logger: Logger,
  ) {
    this.#settings = settings;
    this.#cookie = cookieName(settings);
  }

  open(backend: SessionBackend): void {
    this.#opened = backend;
  }

  /**
   * The ID in the request's session cookie. Several cookies can have its name, because a sibling
   * subdomain can set one for a longer path (RFC 6265 §8.6): the first cookie with a valid
   * signature counts.
   */
  idOf(req: HttpRequest): string | undefined {
    for (const signed of valuesOfCookie(req.raw.headers.cookie, this.#cookie)) {
      const id = this.#backend.signer.verify(signed);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** Throws if the values of a session are larger than `session.maxSize`. */
  checkSize(values: Fields): void {
    let size = 0;
    for (const [key, text] of Object.entries(values))
      size += Buffer.byteLength(key) + Buffer.byteLength(text);
    const { maxSize } = this.#settings;
    if (size <= maxSize) return;
    const [largest = ''] = Object.entries(values).sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
    throw coded(
      'FWK316',
      new RangeError(
        `the session would take ${size} bytes, more than session.maxSize (${maxSize}). Store large data elsewhere, and only its id in the session; ctx.${largest} is the largest value`,
      ),
    );
  }

  /** Whether the client has a cookie with this name, valid or not. */
  hasCookie(req: HttpRequest): boolean {
    return req.cookies[this.#cookie] !== undefined;
  }

  setCookie(req: HttpRequest, res: HttpResponse, id: string): void {
    const { maxAge } = this.#settings;
    res.cookie(this.#cookie, this.#backend.signer.sign(id), { ...this.#attributes(req), maxAge });
  }

  clearCookie(req: HttpRequest, res: HttpResponse): void {
    res.clearCookie(this.#cookie, this.#attributes(req));
  }

  load(id: string): Promise<MemoryEntry | undefined> | MemoryEntry | undefined {
    const stored = this.#backend.memory.get(id);
    if (this.#settings.maxLifetime === 0) return stored;
    return stored instanceof Promise ? stored.then((entry) => this.#limited(entry)) : this.#limited(stored);
  }

  /** An entry with the time that is left of its lifetime; undefined if that is over. */
  #limited(entry: MemoryEntry | undefined): MemoryEntry | undefined {
    if (!entry) return undefined;
    const left = Math.min(entry.left, this.#lifetimeLeft(entry.fields));
    return left > 0 ? { ...entry, left } : undefined;
  }

  /** Whether a visit must update it: half of its time has passed, its previous ID may be alive, or a field is missing. */
  isDue({ left, fields }: MemoryEntry): boolean {
    return (
      left < this.#ageOf(fields) / 2 ||
      !!fields[FORMER] ||
      (this.#settings.maxLifetime > 0 && fields[STARTED] === undefined) ||
      this.#isListDue(fields)
    );
  }

  /** Whether the session must be listed for its user again, before the list expires. */
  #isListDue({ [OWNER]: text }: Fields): boolean {
    return text !== undefined && this.#now() - Number.parseInt(text, 10) > this.#settings.maxAge / 2;
  }

  /** Seconds until a session must end; of a session that began before the limit was set, as if it began now. */
  #lifetimeLeft({ [STARTED]: started }: Fields): number {
    const { maxLifetime } = this.#settings;
    if (maxLifetime === 0) return Number.POSITIVE_INFINITY;
    const now = this.#now();
    return Number(started ?? now) + maxLifetime - now;
  }

  /** The seconds for which a session with these fields is stored. */
  #ageOf(fields: Fields): number {
    return Math.min(this.#settings.maxAge, Math.max(1, Math.ceil(this.#lifetimeLeft(fields))));
  }

  #now(): number {
    return this.#backend.clock.date() / 1000;
  }

  /** The fields of a session that begins now. */
  #started(): Fields {
    return this.#settings.maxLifetime === 0 ? NOTHING : { [STARTED]: String(this.#now()) };
  }

  /** List a session for its user. Returns the field that remembers it. */
  async #list(id: string, user: string): Promise<Fields> {
    const { users } = this.#backend;
    const fields = { [OWNER]: `${Math.floor(this.#now())}:${user}` };
    // The session is listed again after half of its time, so it cannot outlive its entry.
    for (const dropped of await users.add(user, id, 2 * this.#settings.maxAge)) await this.end(dropped);
    return fields;
  }

  newId(): string {
    return randomBytes(24).toString('base64url');
  }

  proofs(id: string, purpose: string): readonly string[] {
    return this.#backend.signer.proofs(id, purpose);
  }

  async create(id: string, values: Fields, user?: string): Promise<void> {
    const owner = user === undefined ? NOTHING : { [OWNER]: `0:${user}` };
    const fields = { ...values, ...this.#started(), ...owner };
    await this.#backend.memory.put(id, fields, this.#ageOf(fields), 'new');
  }

  /** Begin the session of a user. It is stored before it is listed: a session that does not exist yet could not be ended. */
  async begin(id: string, values: Fields, user: string | undefined): Promise<void> {
    await this.create(id, values, user);
    if (user !== undefined) await this.merge(id, await this.#list(id, user), values);
  }

  /**
   * Merge `values` into the stored values of a session, key by key, so that concurrent requests
   * with different keys lose nothing. Resolves with false, and writes nothing, if the session has
   * ended. `known`: its values when it was loaded.
   */
  async merge(id: string, values: Fields, known: Fields): Promise<boolean> {
    return this.#backend.memory.put(id, values, this.#ageOf({ ...known, ...values }), 'existing');
  }

  /** Extend a session, and merge `values`. Resolves with its ID; undefined if it ended or that failed. */
  async prolong(id: string, req: HttpRequest, values: Fields, known: Fields): Promise<string | undefined> {
    try {
      return (await this.merge(id, values, known)) ? id : undefined;
    } catch (thrown) {
      this.report(req, 'could not extend its session', thrown);
      return undefined;
    }
  }

  /**
   * Move a session to a new ID, which begins a new lifetime. `user`: the user who has logged in. `known`: its values when it was loaded; `written`: the values
   * written since, which are merged into the currently stored ones. Resolves with false if it has
   * ended. The old ID is deleted after the new one is stored, so that an earlier failure loses
   * nothing. A failure after `onCreated` was called may still have deleted the old ID: then the visitor
   * must use the new one.
   */
  async move(
    id: string,
    newId: string,
    { known, written, user = ownerOf(known), onCreated }: Move,
  ): Promise<boolean> {
    const { memory } = this.#backend;
    await this.create(newId, { ...known, [FORMER]: id }, user);
    onCreated();
    const listed = user === undefined ? NOTHING : await this.#list(newId, user);
    const fields = await memory.take(id);
    if (fields === undefined) {
      // Nobody knows the new ID: if it cannot be deleted, it expires.
      await Promise.resolve(memory.take(newId)).catch(() => {});
      return false;
    }
    const started = this.#started();
    await this.merge(
      newId,
      { ...fields, ...written, ...started, ...listed, [FORMER]: fields[FORMER] ?? '' },
      NOTHING,
    );
    return true;
  }

  /** Do what `isDue` has found for a session. Returns the fields to store; without the ones whose work has failed. */
  async settle(id: string, fields: Fields): Promise<Fields> {
    const user = this.#isListDue(fields) ? ownerOf(fields) : undefined;
    return {
      ...(await this.#endFormer(fields)),
      ...(fields[STARTED] === undefined ? this.#started() : NOTHING),
      ...(user === undefined ? NOTHING : await this.#list(id, user).catch(() => NOTHING)),
    };
  }

  /** End a session's previous ID, if that failed before. Returns the new fields; undefined if it fails. */
  async #endFormer({ [FORMER]: former }: Fields): Promise<Fields | undefined> {
    if (!former) return undefined;
    try {
      const fields = await this.#backend.memory.take(former);
      this.ends.announce(former, 'renewed');
      return { [FORMER]: fields?.[FORMER] ?? '' };
    } catch {
      return undefined;
    }
  }

  /** Resolves with whether the session existed. */
  async end(id: string): Promise<boolean> {
    const fields = await this.#backend.memory.take(id);
    this.ends.announce(id, 'ended');
    return fields !== undefined;
  }

  /** End all sessions of a user. Resolves with their number. */
  endAll(user: string): Promise<number> {
    return this.#backend.users.endAll(user, (id) => this.end(id));
  }

  get ends(): SessionEnds {
    return this.#backend.ends;
  }

  /** Call `listener` when a session with `left` seconds ends. Returns a function that removes it. */
  onEnd(id: string, left: number, listener: (how: SessionEnd) => void): () => void {
    return this.ends.on(id, { left, load: async () => this.load(id) }, listener);
  }

  #attributes(req: HttpRequest): CookieOptions {
    const { secure } = this.#settings;
    return {
      httpOnly: true,
      sameSite: 'lax',
      path: '/',
      secure: secure === 'auto' ? req.url.protocol === 'https:' : secure,
    };
  }

  loggerOf(req: HttpRequest): Logger {
    return scopeLogger(this.logger, req);
  }

  report(req: HttpRequest, what: string, thrown: unknown): void {
    logSafely(this.loggerOf(req), 'error', `${req.method} ${req.path} ${what}`, thrown);
  }

  get #backend(): SessionBackend {
    if (!this.#opened) throw new Error('sessions were used before the project was ready to serve');
    return this.#opened;
  }
}

/** The default name. */
const DEFAULT_COOKIE = 'session';

/** Browsers accept the prefix `__Host-` only from this host, over HTTPS (RFC 6265bis §4.1.3.2). */
const cookieName = ({ cookie, secure }: Pick<SessionSettings, 'cookie' | 'secure'>): string =>
  cookie === DEFAULT_COOKIE && secure === true ? `__Host-${cookie}` : cookie;

/** The values of all cookies with one name in a `Cookie` header, in order. */
function* valuesOfCookie(header: string | undefined, name: string): Iterable<string> {
  // Most requests without a session have no such cookie.
  if (!header?.includes(name)) return;
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) yield pair.slice(at + 1).trim();
  }
}

/** Signs session IDs for the cookie with HMAC-SHA-256. The first secret signs, all verify. */
export class Signer {
  readonly #keys: readonly KeyObject[];

  constructor(secrets: readonly string[]) {
    if (secrets.length === 0) throw new RangeError('a signer needs a secret');
    this.#keys = secrets.map((secret) => createSecretKey(secret, 'utf8'));
  }

  /** `<id>.<signature>`: base64url characters and one full stop, so the cookie needs no escapes. */
  sign(id: string): string {
    return `${id}.${signature(this.#keys[0] as KeyObject, id)}`;
  }

  /** The ID in a text that `sign` created with any of the secrets; undefined for any other text. */
  verify(signed: string): string | undefined {
    const stop = signed.indexOf('.');
    if (stop === -1) return undefined;
    const id = signed.slice(0, stop);
    const given = Buffer.from(signed.slice(stop + 1));
    const known = this.#keys.some((key) => {
      const right = Buffer.from(signature(key, id));
      return right.length === given.length && timingSafeEqual(right, given);
    });
    return known ? id : undefined;
  }

  /** HMACs of `id` for one purpose, with every secret, the signing one first. */
  proofs(id: string, purpose: string): string[] {
    return this.#keys.map((key) => hmac(key, `proof:${purpose}:${id}`));
  }
}

/** The prefix distinguishes signatures of IDs from other texts that are signed with the same secret. */
const signature = (key: KeyObject, id: string): string => hmac(key, `session:${id}`);

const hmac = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');
