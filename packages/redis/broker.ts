import type { EngineSettings } from 'fwkit/peers';
import { messageOf, settledWithin, Unavailable } from 'fwkit/plugin';
import { Connection, READ_ONLY, REFUSED, refusal } from './connection.js';

export interface BrokerOptions {
  readonly makeClient: () => unknown;
  readonly channel: string;
  readonly settings: () => EngineSettings;
  readonly receive: (message: Buffer) => void;
  readonly onAway: (reason: string) => void;
  readonly onBack: () => void;
  /** Called with the number of messages that were accepted but could not be sent. */
  readonly onUnsent: (count: number) => void;
}

/** One process's view of Redis, which is available or not. Each command is answered in time or rejected. */
export class Broker {
  #connection: Connection | undefined;
  #isOpen = false;
  #isClosed = false;
  #awaySince: number | undefined;
  #begunAt = 0;
  #heardAt = 0;
  #lookedAt = 0;
  #reason = '';
  /** Set while the current connection does not answer. */
  #isStalled = false;
  /** Rejects `open` with the known reason. */
  #refuse = (): void => {};
  readonly #pending = new Set<(reason: Unavailable) => void>();

  constructor(private readonly options: BrokerOptions) {}

  get isAway(): boolean {
    return this.#awaySince !== undefined || this.#connection?.isReady() !== true;
  }

  get waitingBytes(): number {
    return this.#connection?.waitingBytes ?? 0;
  }

  async open(): Promise<void> {
    const { bootLimit } = this.options.settings();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      this.#refuse = () => reject(new Error(this.#reason || `no answer within ${bootLimit} ms`));
      timer = setTimeout(this.#refuse, bootLimit);
    });
    await Promise.race([this.#begin(), late]).finally(() => clearTimeout(timer));
    this.#isOpen = true;
  }

  async #begin(): Promise<void> {
    const { makeClient, channel, receive } = this.options;
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

  /** Check whether Redis answers, and replace the connection after too long a silence. Call it periodically. */
  look(): void {
    const { giveUp, heartbeat, timeout } = this.options.settings();
    const now = performance.now();
    // Messages that arrived while this process was blocked have not been read yet.
    if (now - this.#lookedAt > 2 * timeout) this.#heardAt = now;
    this.#lookedAt = now;
    if (this.#awaySince !== undefined) {
      if (now - Math.max(this.#awaySince, this.#begunAt) > giveUp) this.#replace(this.#reason);
    } else if (now - this.#heardAt > heartbeat + giveUp) this.#replace('no message received');
    else this.ask(['PING']).catch(() => {});
  }

  #replace(reason: string): void {
    this.#goAway(reason);
    const last = this.#connection;
    this.#connection = undefined;
    this.options.onUnsent(last?.waiting ?? 0);
    last?.destroy();
    this.#begin().catch((cause) => {
      this.#reason = messageOf(cause);
    });
  }

  #goAway(reason: string): void {
    if (!this.#isOpen || this.#isClosed || this.#awaySince !== undefined) return;
    this.#awaySince = performance.now();
    this.#reason = reason;
    // Whether Redis has executed these commands is unknown.
    for (const giveUp of this.#pending) giveUp(this.#away());
    this.#pending.clear();
    this.options.onAway(reason);
  }

  #comeBack(): void {
    if (this.#awaySince === undefined || this.#isStalled || !this.#connection?.isReady()) return;
    this.#awaySince = undefined;
    this.#reason = '';
    this.#heardAt = performance.now();
    this.options.onBack();
  }

  #away(): Unavailable {
    return new Unavailable(`redis is unavailable (${this.#reason || 'not connected'})`);
  }

  /** Send a command. Rejects with Unavailable within `timeout`, and at once while Redis is unavailable; with an Error if it is refused. */
  ask(args: (string | Buffer)[]): Promise<unknown> {
    const connection = this.#connection;
    if (this.isAway || !connection) return Promise.reject(this.#away());
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      // If this process was busy for longer than the timeout, setImmediate lets it read an answer that has arrived.
      const look = () => this.#pending.has(reject) && this.#stall(connection);
      const timer = setTimeout(() => setImmediate(look), this.options.settings().timeout);
      const settle = (): void => {
        clearTimeout(timer);
        this.#pending.delete(reject);
        this.#answered(connection);
      };
      connection
        .command(args)
        .finally(settle)
        .then(resolve, (cause) => {
          reject(refusal(cause));
          if (READ_ONLY.test(messageOf(cause))) this.#leaveReplica(connection, messageOf(cause));
        });
    });
  }

  /** After a failover, existing connections lead to the previous primary, which is a replica now. A new connection leads to the primary. */
  #leaveReplica(connection: Connection, reason: string): void {
    const isCurrent = connection === this.#connection && !this.#isClosed;
    if (isCurrent && performance.now() - this.#begunAt > this.options.settings().giveUp)
      this.#replace(reason);
  }

  #stall(connection: Connection): void {
    if (connection !== this.#connection) return;
    this.#isStalled = true;
    this.#goAway(`no answer within ${this.options.settings().timeout} ms`);
  }

  #answered(connection: Connection): void {
    if (!this.#isStalled || connection !== this.#connection) return;
    this.#isStalled = false;
    this.#comeBack();
  }

  /** Returns whether the message was handed to the client. Never waits, never throws. */
  publish(message: string | Buffer, bytes: number): boolean {
    const connection = this.#connection;
    const { channel, settings, onUnsent } = this.options;
    if (this.isAway || !connection) return false;
    if (connection.waiting > 0 && connection.waitingBytes + bytes > settings().backlog) return false;
    connection.publish(channel, message, bytes, (isDone) => {
      this.#answered(connection);
      if (!isDone) onUnsent(1);
    });
    return true;
  }

  /** Close after pending commands are answered, or after `timeout`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    if (connection)
      await settledWithin(
        connection.close().catch(() => {}),
        this.options.settings().timeout,
      );
    connection?.destroy();
  }
}
