import { randomBytes } from 'node:crypto';
import { isThenable, type Logger, type Peers } from '../../kernel/index.js';
import type { CookieOptions, HttpRequest, HttpResponse } from '../http/index.js';
import { readRecord, recordText, type SessionRecord } from './record.js';
import type { Signer } from './signer.js';
import type { SessionStore } from './store.js';

export interface SessionSettings {
  /** Name of the cookie. */
  readonly cookie: string;
  /** How long a session lasts without a visit, in seconds. */
  readonly maxAge: number;
  /** Whether the cookie is `Secure`; `auto`: when it is set over https. */
  readonly secure: boolean | 'auto';
}

/**
 * Where sessions are stored and how their ids are signed. Outlives a version of the project; known when it is served.
 */
export interface SessionBackend {
  readonly store: SessionStore;
  readonly signer: Signer;
  /** Runs work on one session one after the other. */
  readonly lock: Peers['lock'];
}

type Values = SessionRecord['values'];

/** All sessions of a project: owns the cookie (name, signature, attributes) and the records in the store. `RequestSession` calls it. */
export class Sessions {
  readonly #settings: SessionSettings;
  #opened: SessionBackend | undefined;

  constructor(
    settings: SessionSettings,
    readonly logger: Logger,
  ) {
    this.#settings = settings;
  }

  /** Set where sessions are stored; before the first request. */
  open(backend: SessionBackend): void {
    this.#opened = backend;
  }

  /** The id that a request's cookie proves. One that was tampered with, or signed by another secret, proves none. */
  idOf(req: HttpRequest): string | undefined {
    const { cookie } = this.#settings;
    // Only requests with this cookie pay for parsing all of them.
    if (!req.raw.headers.cookie?.includes(cookie)) return undefined;
    const signed = req.cookies[cookie];
    return signed === undefined ? undefined : this.#backend.signer.verify(signed);
  }

  /** Whether the client holds a cookie of this name, valid or not. */
  hasCookie(req: HttpRequest): boolean {
    return req.cookies[this.#settings.cookie] !== undefined;
  }

  setCookie(req: HttpRequest, res: HttpResponse, id: string): void {
    const { cookie, maxAge } = this.#settings;
    res.cookie(cookie, this.#backend.signer.sign(id), { ...this.#attributes(req), maxAge });
  }

  clearCookie(req: HttpRequest, res: HttpResponse): void {
    res.clearCookie(this.#settings.cookie, this.#attributes(req));
  }

  /** The record in the store; a promise only where the store returns one. */
  load(id: string): Promise<SessionRecord | undefined> | SessionRecord | undefined {
    const text = this.#backend.store.get(id);
    return isThenable(text) ? Promise.resolve(text).then(readRecord) : readRecord(text);
  }

  /** Whether more than half of `maxAge` has passed: then a visit prolongs the session. */
  isDue({ until }: SessionRecord): boolean {
    return until - Date.now() < this.#settings.maxAge * 500;
  }

  /** The id of a session that may begin. */
  newId(): string {
    return randomBytes(24).toString('base64url');
  }

  /** HMACs of an id: see `Session.proofs`. */
  proofs(id: string, purpose: string): readonly string[] {
    return this.#backend.signer.proofs(id, purpose);
  }

  /** Begin a session with a new id. */
  async create(id: string, values: Values): Promise<void> {
    await this.#put(id, values);
  }

  /**
   * Merge `values` into the current record of a session, key by key, so that requests which write different keys lose
   * nothing. False when the session has ended: then nothing is written.
   */
  merge(id: string, values: Values): Promise<boolean> {
    return this.#backend.lock(id, async () => {
      const record = await this.load(id);
      if (record) await this.#put(id, { ...record.values, ...values });
      return record !== undefined;
    });
  }

  /** Move a session to a new id and merge `values` into it. False when it has ended. */
  move(id: string, newId: string, values: Values): Promise<boolean> {
    return this.#backend.lock(id, async () => {
      const record = await this.load(id);
      if (!record) return false;
      await this.create(newId, { ...record.values, ...values });
      await this.#backend.store.delete(id);
      return true;
    });
  }

  async end(id: string): Promise<void> {
    await this.#backend.lock(id, async () => this.#backend.store.delete(id));
  }

  async #put(id: string, values: Values): Promise<void> {
    const { maxAge } = this.#settings;
    await this.#backend.store.set(id, recordText({ until: Date.now() + maxAge * 1000, values }), maxAge);
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

  get #backend(): SessionBackend {
    if (!this.#opened) throw new Error('sessions are used before the project is served');
    return this.#opened;
  }
}
