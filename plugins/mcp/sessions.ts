import { randomUUID } from 'node:crypto';
import { HttpSession } from './http-session.js';

/** How often sessions that nobody uses any more are looked for, in milliseconds. */
const SWEEP = 60_000;
/** The most sessions: beginning one takes a single request, and each holds some memory. */
const MOST = 10_000;

/** The sessions of all clients over HTTP. They outlive generations. */
export class Sessions {
  readonly #all = new Map<string, HttpSession>();
  /** How long one lasts without being used, in milliseconds. */
  readonly #idle: number;
  readonly #sweeping = setInterval(() => this.#sweep(), SWEEP).unref();

  constructor(idleSeconds: number) {
    this.#idle = idleSeconds * 1000;
  }

  begin(subject: string | undefined): HttpSession {
    if (this.#all.size >= MOST) this.#drop();
    const session = new HttpSession(randomUUID(), subject);
    this.#all.set(session.sessionId, session);
    return session;
  }

  /** The session of that id, if it is that subject's. */
  find(id: string, subject: string | undefined): HttpSession | undefined {
    const session = this.#all.get(id);
    return session?.subject === subject ? session : undefined;
  }

  async end(session: HttpSession): Promise<void> {
    this.#all.delete(session.sessionId);
    await session.close();
  }

  /** End all streams, and keep what is being answered. */
  hangUp(): void {
    clearInterval(this.#sweeping);
    for (const session of this.#all.values()) session.hangUp();
  }

  #sweep(): void {
    const limit = Date.now() - this.#idle;
    for (const session of this.#all.values())
      if (session.usedAt < limit && !session.isBusy) void this.end(session);
  }

  /** Make room: the one that has not been used for longest goes. */
  #drop(): void {
    let oldest: HttpSession | undefined;
    for (const session of this.#all.values())
      if (!session.isBusy && (oldest === undefined || session.usedAt < oldest.usedAt)) oldest = session;
    if (oldest) void this.end(oldest);
  }
}
