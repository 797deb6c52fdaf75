import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { Clock, Timer } from '../../../kernel/index.js';
import { ByteBudget } from '../sdk/byte-budget.js';
import { HttpSession } from './session.js';

/** Channels of `node:diagnostics_channel`; the message of both has the `sessionId`. */
const SESSION_START = channel('fwk.mcp.session.start');
const SESSION_END = channel('fwk.mcp.session.end');

/** How often unused sessions are looked for, in milliseconds. */
const SWEEP_INTERVAL_MS = 60_000;
/** Memory of one session without what its client sends, in bytes. */
const SESSION_OVERHEAD_BYTES = 8_192;

export interface SessionLimits {
  /** How long an unused session lasts, in seconds. */
  readonly sessionIdle: number;
  /** Bytes that one keeps of what its client sends. */
  readonly sessionLimit: number;
  /** Bytes that all of them take. */
  readonly sessionsLimit: number;
  /** Bytes that may wait for a client which reads slowly. */
  readonly backpressureLimit: number;
}

/** The sessions of all clients over HTTP. They outlive versions. */
export class Sessions {
  /** The least recently used ones come first. */
  readonly #all = new Map<string, HttpSession>();
  readonly #limits: SessionLimits;
  readonly #budget: ByteBudget;
  readonly #clock: Clock;
  readonly #sweeping: Timer;

  constructor(limits: SessionLimits, clock: Clock) {
    this.#clock = clock;
    this.#sweeping = clock.setInterval(() => this.#sweep(), SWEEP_INTERVAL_MS);
    this.#sweeping.unref();
    this.#limits = limits;
    this.#budget = new ByteBudget(limits.sessionsLimit, undefined, (missing) => this.#makeRoom(missing));
  }

  /** Begin a session that takes `bytes` at first. Undefined where no room can be made for it. */
  begin(subject: string | undefined, bytes: number): HttpSession | undefined {
    const { sessionLimit, backpressureLimit } = this.#limits;
    const budget = new ByteBudget(SESSION_OVERHEAD_BYTES + sessionLimit, this.#budget);
    if (!budget.take(SESSION_OVERHEAD_BYTES + bytes)) return undefined;
    const session = new HttpSession(randomUUID(), subject, backpressureLimit, budget, this.#clock);
    const { sessionId } = session;
    this.#all.set(sessionId, session);
    if (SESSION_START.hasSubscribers) SESSION_START.publish({ sessionId });
    return session;
  }

  /** The session of that id, if it is that subject's. */
  find(id: string, subject: string | undefined): HttpSession | undefined {
    const session = this.#all.get(id);
    if (!session || session.subject !== subject) return undefined;
    this.#all.delete(id);
    this.#all.set(id, session);
    return session;
  }

  async end(session: HttpSession): Promise<void> {
    const { sessionId } = session;
    if (this.#all.delete(sessionId)) {
      session.budget.clear();
      if (SESSION_END.hasSubscribers) SESSION_END.publish({ sessionId });
    }
    await session.close();
  }

  /** End all streams, and keep what is being answered. */
  hangUp(): void {
    this.#clock.clear(this.#sweeping);
    for (const session of this.#all.values()) session.hangUp();
  }

  #sweep(): void {
    const limit = this.#clock.now() - this.#limits.sessionIdle * 1000;
    for (const session of this.#all.values())
      if (session.usedAt < limit && !session.isBusy) void this.end(session);
  }

  /** End the least recently used ones. Their clients get 404 and begin new ones. */
  #makeRoom(missing: number): void {
    for (const session of this.#all.values()) {
      if (missing <= 0) return;
      if (session.isBusy) continue;
      missing -= session.budget.taken;
      void this.end(session);
    }
  }
}
