import type { EngineSettings } from 'fwkit/peers';
import { settledWithin, Unavailable } from 'fwkit/plugin';
import { Connection, REFUSED, reasonOf, refusal } from './connection.js';

export interface BrokerOptions {
  readonly makeClient: () => unknown;
  readonly channel: string;
  readonly settings: () => EngineSettings;
  readonly receive: (message: Buffer) => void;
  readonly onAway: (reason: string) => void;
  readonly onBack: () => void;
  /** So many messages did not leave, after all. */
  readonly onUnsent: (count: number) => void;
}

/** Redis, as one process sees it: there, or away. What is asked of it is answered in time, or refused. */
export class Broker {
  readonly #options: BrokerOptions;
  #connection: Connection | undefined;
  #isOpen = false;
  #isClosed = false;
  #awaySince: number | undefined;
  #begunAt = 0;
  #heardAt = 0;
  #lookedAt = 0;
  #reason = '';
  /** Set while a connection is there that does not answer. */
  #isStalled = false;
  /** Ends the start, for the reason that is known. */
  #refuse = (): void => {};
  readonly #questions = new Set<(reason: Unavailable) => void>();

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  get isAway(): boolean {
    return this.#awaySince !== undefined || this.#connection?.isReady() !== true;
  }

  get waitingBytes(): number {
    return this.#connection?.waitingBytes ?? 0;
  }

  async open(): Promise<void> {
    const { bootLimit } = this.#options.settings();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      this.#refuse = () => reject(new Error(this.#reason || `no answer within ${bootLimit} ms`));
      timer = setTimeout(this.#refuse, bootLimit);
    });
    await Promise.race([this.#begin(), late]).finally(() => clearTimeout(timer));
    this.#isOpen = true;
  }

  async #begin(): Promise<void> {
    const { makeClient, channel, receive } = this.#options;
    this.#begunAt = this.#heardAt = performance.now();
    this.#isStalled = false;
    const isCurrent = (): boolean => connection === this.#connection && !this.#isClosed;
    const connection = new Connection(makeClient, {
      ready: () => void (isCurrent() && this.#comeBack()),
      down: () => void (isCurrent() && this.#goAway(this.#reason || 'the connection ended')),
      error: (reason) => {
        if (!isCurrent()) return;
        this.#reason = reason;
        if (REFUSED.test(reason)) this.#refuse();
      },
    });
    this.#connection = connection;
    await connection.open(channel, (message) => {
      if (!isCurrent()) return;
      this.#heardAt = performance.now();
      receive(message);
    });
    this.#comeBack();
  }

  /** Look whether it answers, and take another connection where it gives no sign for too long. Call it again and again. */
  look(): void {
    const { giveUp, heartbeat, timeout } = this.#options.settings();
    const now = performance.now();
    // What was to be heard while this process stood still has not been read yet.
    if (now - this.#lookedAt > 2 * timeout) this.#heardAt = now;
    this.#lookedAt = now;
    if (this.#awaySince !== undefined) {
      if (now - Math.max(this.#awaySince, this.#begunAt) > giveUp) this.#replace(this.#reason);
    } else if (now - this.#heardAt > heartbeat + giveUp) this.#replace('nothing is heard');
    else this.ask(['PING']).catch(() => {});
  }

  #replace(reason: string): void {
    this.#goAway(reason);
    const last = this.#connection;
    this.#connection = undefined;
    this.#options.onUnsent(last?.waiting ?? 0);
    last?.destroy();
    this.#begin().catch((cause) => {
      this.#reason = reasonOf(cause);
    });
  }

  #goAway(reason: string): void {
    if (!this.#isOpen || this.#isClosed || this.#awaySince !== undefined) return;
    this.#awaySince = performance.now();
    this.#reason = reason;
    // Whether it was done nobody will know.
    for (const giveUp of this.#questions) giveUp(this.#away());
    this.#questions.clear();
    this.#options.onAway(reason);
  }

  #comeBack(): void {
    if (this.#awaySince === undefined || this.#isStalled || !this.#connection?.isReady()) return;
    this.#awaySince = undefined;
    this.#reason = '';
    this.#heardAt = performance.now();
    this.#options.onBack();
  }

  #away(): Unavailable {
    return new Unavailable(`redis is away (${this.#reason || 'not connected'})`);
  }

  /**
   * Rejects with Unavailable within `timeout`, and at once while Redis is away; with an error of its own where the server refuses
   * what was asked.
   */
  ask(args: (string | Buffer)[]): Promise<unknown> {
    const connection = this.#connection;
    if (this.isAway || !connection) return Promise.reject(this.#away());
    return new Promise((resolve, reject) => {
      this.#questions.add(reject);
      // Where this process was busy for longer than that, an answer may be there: it is read before.
      const look = () => this.#questions.has(reject) && this.#stall(connection);
      const timer = setTimeout(() => setImmediate(look), this.#options.settings().timeout);
      const settle = (): void => {
        clearTimeout(timer);
        this.#questions.delete(reject);
        this.#answered(connection);
      };
      connection
        .command(args)
        .finally(settle)
        .then(resolve, (cause) => reject(refusal(cause)));
    });
  }

  #stall(connection: Connection): void {
    if (connection !== this.#connection) return;
    this.#isStalled = true;
    this.#goAway(`no answer within ${this.#options.settings().timeout} ms`);
  }

  #answered(connection: Connection): void {
    if (!this.#isStalled || connection !== this.#connection) return;
    this.#isStalled = false;
    this.#comeBack();
  }

  /** Whether the message is on its way. Never waits, never throws. */
  publish(message: string | Buffer, bytes: number): boolean {
    const connection = this.#connection;
    const { channel, settings, onUnsent } = this.#options;
    if (this.isAway || !connection) return false;
    if (connection.waiting > 0 && connection.waitingBytes + bytes > settings().backlog) return false;
    connection.publish(channel, message, bytes, (isDone) => {
      this.#answered(connection);
      if (!isDone) onUnsent(1);
    });
    return true;
  }

  /** End when what was asked has been answered, or `timeout` is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    if (connection)
      await settledWithin(
        connection.close().catch(() => {}),
        this.#options.settings().timeout,
      );
    connection?.destroy();
  }
}
