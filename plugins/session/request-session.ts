import { coded, type ProblemCode } from '../../kernel/index.js';
import type { Fields, MemoryEntry } from '../../peers/index.js';
import { type Session, type SessionEnd, storableText } from '../context/internal.js';
import type { HttpRequest, HttpResponse } from '../http/index.js';
import { keepPrivate } from '../http/internal.js';
import { NOTHING, ownerOf, type Sessions } from './sessions.js';

/** A visitor's session during one request, which stores changes and sets the cookie before the head. */
export class RequestSession implements Session {
  readonly #read = new Map<string, ReadValue>();
  #id: string | undefined;
  /** The ID of the session that this response may begin: its page may already contain tokens of this session. */
  #next: string | undefined;
  #values: Fields = NOTHING;
  /** The remaining time when it was loaded; 0 for a session that began since, which is queried then. */
  #secondsLeft = 0;
  #isDue = false;
  /** The new ID of the session, set when the session is stored under it. */
  #createdId: string | undefined;
  /** The ID that the visitor had before `renew` or `end`, and which function was called. */
  #former: { readonly id: string; readonly renewed: boolean } | undefined;
  /** The user that `renew` was called with. */
  #user: string | undefined;
  /** The previous ID. Its end is reported when the client has the new ID. */
  #replacedId: string | undefined;
  #ended = false;
  #watching = false;
  #isPrivate = false;
  #failure: { readonly thrown: unknown } | undefined;

  constructor(
    private readonly sessions: Sessions,
    private readonly req: HttpRequest,
    private readonly res: HttpResponse,
  ) {}

  /** Load the cookie's session. A promise only if the store returns one. Reads throw a failure to load. */
  begin(): Promise<void> | undefined {
    const id = this.sessions.idOf(this.req);
    if (id === undefined) return undefined;
    const fail = (thrown: unknown): void => {
      this.#failure = { thrown };
    };
    try {
      const stored = this.sessions.load(id);
      if (stored instanceof Promise) return stored.then((loaded) => this.#enter(id, loaded), fail);
      this.#enter(id, stored);
    } catch (thrown) {
      fail(thrown);
    }
    return undefined;
  }

  value(key: string, make: () => unknown): unknown {
    const known = this.#read.get(key);
    if (known) return known.value;
    this.#checkLoaded();
    this.#watch();
    this.#keepPrivate();
    // Always a copy, because visitors may share the value of a factory.
    const text = this.#storedText(key) ?? storableText(make(), `ctx.${key}`);
    const value: unknown = JSON.parse(text);
    this.#read.set(key, { value, text });
    return value;
  }

  assign(key: string, value: unknown): void {
    // Throws where the value is assigned, rather than later when it is stored.
    storableText(value, `ctx.${key}`);
    this.#checkLoaded();
    this.#watch();
    this.#read.set(key, { value, text: this.#storedText(key) });
  }

  get isStored(): boolean {
    this.#checkLoaded();
    return this.#id !== undefined;
  }

  proofs(purpose: string): readonly string[] {
    this.#checkLoaded();
    this.#keepPrivate();
    this.#next ??= this.#id === undefined ? this.sessions.newId() : undefined;
    return this.sessions.proofs(this.#id ?? this.#next ?? '', purpose);
  }

  renew(user?: string): void {
    if (this.res.sent)
      throw coded('FWK411', new Error('the session cannot be renewed, because the response has been sent'));
    this.#checkLoaded();
    if (user !== undefined) this.#user = user;
    if (this.#id !== undefined) this.#former = { id: this.#id, renewed: true };
    else if (user === undefined) return;
    this.#id = undefined;
    this.#watch();
  }

  end(): void {
    this.#checkLoaded();
    const id = this.#id ?? this.#former?.id;
    if (id !== undefined) this.#former = { id, renewed: false };
    this.#id = undefined;
    this.#values = NOTHING;
    this.#user = undefined;
    this.#read.clear();
    this.#ended = true;
    this.#watch();
  }

  async endAll(user: string): Promise<number> {
    this.#checkLoaded();
    const count = await this.sessions.endAll(user);
    if (this.#user === user || ownerOf(this.#values) === user) this.end();
    return count;
  }

  onEnd(listener: (how: SessionEnd) => void): () => void {
    if (this.#id === undefined || this.req.route.meta.outlivesSession) return () => {};
    return this.sessions.onEnd(this.#id, this.#secondsLeft, listener);
  }

  async close(): Promise<void> {
    if (this.#replacedId !== undefined) this.sessions.ends.announce(this.#replacedId, 'renewed');
    if (!this.#watching) return;
    await this.#save(false).catch((thrown) =>
      this.sessions.report(this.req, 'could not store its session', thrown),
    );
  }

  /** Throws if loading has failed: a newly created value would replace the visitor's own. */
  #checkLoaded(): void {
    if (this.#failure) throw this.#failure.thrown;
  }

  #enter(id: string, stored: MemoryEntry | undefined): void {
    if (!stored) return;
    this.#id = id;
    this.#values = stored.fields;
    this.#isDue = this.sessions.isDue(stored);
    this.#secondsLeft = stored.left;
    if (this.#isDue) this.#watch();
  }

  #storedText(key: string): string | undefined {
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }

  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    if (!this.res.sent) this.res.beforeHead(() => this.#save(true));
  }

  /** The response contains data of this session, so no cache may send it to another visitor. */
  #keepPrivate(): void {
    if (this.#isPrivate || this.res.sent) return;
    this.#isPrivate = true;
    keepPrivate(this.res);
    this.res.header('Vary', 'Cookie');
  }

  /** Store the changes. `hasHead`: the response can still set a cookie. */
  async #save(hasHead: boolean): Promise<void> {
    const written = takeWritten(this.#read);
    if (written) {
      this.#values = { ...this.#values, ...written };
      this.sessions.checkSize(this.#values);
    }
    const id = await this.#store(written, hasHead).catch((thrown) => {
      // The old ID may have ended: without the new one, the visitor would lose the session.
      if (hasHead && this.#createdId !== undefined)
        this.sessions.setCookie(this.req, this.res, this.#createdId);
      throw thrown;
    });
    if (!hasHead) return;
    if (id !== undefined) this.sessions.setCookie(this.req, this.res, id);
    else if (this.#ended && this.sessions.hasCookie(this.req)) this.sessions.clearCookie(this.req, this.res);
  }

  /** Store values. Returns the ID for the client's cookie if the cookie has to be set. */
  async #store(written: Fields | undefined, hasHead: boolean): Promise<string | undefined> {
    const left = this.#former;
    this.#former = undefined;
    if (left?.renewed) {
      const next = this.#takeNextId();
      const onCreated = () => (this.#createdId = next);
      const values = { known: this.#values, written: written ?? NOTHING, user: this.#user, onCreated };
      if (await this.sessions.move(left.id, next, values)) {
        this.#user = undefined;
        this.#id = next;
        this.#replacedId = left.id;
        return next;
      }
    } else if (left) await this.sessions.end(left.id);

    if (this.#id !== undefined) {
      const isDue = this.#isDue;
      this.#isDue = false;
      const known = this.#values;
      const settled = isDue ? await this.sessions.settle(this.#id, known) : NOTHING;
      if (!written) return isDue ? this.sessions.prolong(this.#id, this.req, settled, known) : undefined;
      return (await this.sessions.merge(this.#id, { ...settled, ...written }, known)) ? this.#id : undefined;
    }
    if (hasHead && (written || this.#user !== undefined)) {
      const next = this.#takeNextId();
      await this.sessions.begin(next, written ?? NOTHING, this.#user);
      this.#user = undefined;
      this.#id = next;
      return next;
    }
    if (!written) return undefined;
    const text = `${this.req.method} ${this.req.path} ${lostWrite(written)}`;
    this.sessions.loggerOf(this.req).warn({ code: 'FWK411' satisfies ProblemCode }, text);
    return undefined;
  }

  #takeNextId(): string {
    const next = this.#next ?? this.sessions.newId();
    this.#next = undefined;
    return next;
  }
}

interface ReadValue {
  readonly value: unknown;
  /** Its JSON when it was read or last stored, to detect changes. Undefined: nothing is stored. */
  text: string | undefined;
}

/** The JSON of changed values by key, which then count as stored; undefined if nothing changed. */
function takeWritten(values: ReadonlyMap<string, ReadValue>): Fields | undefined {
  let written: Record<string, string> | undefined;
  for (const [key, read] of values) {
    const text = storableText(read.value, `ctx.${key}`);
    if (text === read.text) continue;
    read.text = text;
    written ??= {};
    written[key] = text;
  }
  return written;
}

/** The warning about values that were written too late to begin a session. */
const lostWrite = (written: Fields): string =>
  `wrote ${Object.keys(written)
    .map((key) => `ctx.${key}`)
    .join(', ')} after its response. The change is lost, because a cookie can no longer be set`;
