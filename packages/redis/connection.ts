import { BootError, messageOf, Unavailable } from 'fwkit/plugin';
import { type Link, linkOf, mistakeIn } from './client.js';

export interface ConnectionEvents {
  /** Commands are answered, and messages heard. May be called again. */
  readonly ready: () => void;
  readonly down: () => void;
  /** What keeps it from being there. */
  readonly error: (reason: string) => void;
}

/** Two connections to a server: one for commands, one that listens. */
export class Connection {
  readonly #commands: Link;
  readonly #listener: Link;
  #waiting = 0;
  #waitingBytes = 0;
  #isSubscribed = false;
  #isOver = false;

  /** Throws BootError for a client that cannot be used. */
  constructor(makeClient: () => unknown, events: ConnectionEvents) {
    const clients = [makeClient(), makeClient()] as const;
    const [commands, listener] = [linkOf(clients[0]), linkOf(clients[1])];
    const mistake = mistakeIn(...clients);
    if (mistake !== undefined || !commands || !listener) {
      for (const client of clients) end(client);
      throw new BootError({ message: `${mistake}.`, code: 'FWK810' });
    }
    for (const link of [commands, listener]) {
      link.onError((cause) => events.error(reasonOf(cause)));
      link.onReady(events.ready);
      link.onDown(events.down);
    }
    this.#commands = commands;
    this.#listener = listener;
  }

  /** Resolves when both are there, and messages of `channel` are received. Rejects with what the server refuses. */
  async open(channel: string, receive: (message: Buffer) => void): Promise<void> {
    await Promise.all([this.#commands.connect(), this.#listener.connect()]);
    await this.#listener.subscribe(channel, receive);
    this.#isSubscribed = true;
  }

  isReady(): boolean {
    return this.#isSubscribed && this.#commands.isReady() && this.#listener.isReady();
  }

  /** Has no time limit. */
  command(args: (string | Buffer)[]): Promise<unknown> {
    return this.#commands.commandWithoutLimit(args);
  }

  /** Messages that are not answered, and their bytes. */
  get waiting(): number {
    return this.#waiting;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Publish; `settled` is called with whether that succeeded, but not after the end. */
  publish(
    channel: string,
    message: string | Buffer,
    bytes: number,
    settled: (isDone: boolean) => void,
  ): void {
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    const settle = (isDone: boolean): void => {
      this.#waiting -= 1;
      this.#waitingBytes -= bytes;
      if (!this.#isOver) settled(isDone);
    };
    this.command(['PUBLISH', channel, message]).then(
      () => settle(true),
      () => settle(false),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#commands, this.#listener].map((link) => link.isReady() && link.close()));
  }

  destroy(): void {
    this.#isOver = true;
    destroy(this.#commands);
    destroy(this.#listener);
  }
}

function destroy(link: Link | undefined): void {
  try {
    link?.destroy();
  } catch {
    // It has ended already.
  }
}

/** What cannot be used may have begun to connect, and nobody would hear that it cannot. One that is connected is somebody else's. */
function end(made: unknown): void {
  if (made instanceof Promise)
    return void made.then(
      (client) => linkOf(client)?.destroy(),
      () => {},
    );
  const link = linkOf(made);
  if (!link || link.isReady()) return;
  link.onError(() => {});
  destroy(link);
}

/** What an error of a connection says: that of a name with several addresses says it of each. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return reasonOf(cause.errors[0]);
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause ? cause.code : undefined;
  return cause.message || String(code ?? cause.name);
}

/** Errors of the server that are about a command, and do not pass by waiting. */
const MISTAKE = /^(?:ERR|WRONGTYPE|NOSCRIPT)\b/;

/** The error for who asked. Not with what has failed as its cause: that has the values which were sent. */
export function refusal(cause: unknown): Error {
  const reason = reasonOf(cause);
  return MISTAKE.test(reason) ? new Error(`redis: ${reason}`) : new Unavailable(`redis: ${reason}`);
}

/** Refusals that a person has to fix: waiting does not. */
export const REFUSED = /\b(?:NOAUTH|NOPERM|WRONGPASS)\b/;

/** The error of a start that `cause` keeps from connecting. */
export function unreachable(cause: unknown): BootError {
  if (cause instanceof BootError) return cause;
  const reason = messageOf(cause).replace(/^redis: /, '');
  const message = REFUSED.test(reason)
    ? `redis refuses this app: ${reason}. Correct the user and password that redis({ client }) connects with, or give that user the rights it needs.`
    : `redis cannot be reached: ${reason}. Start it, or correct where redis({ client }) connects to.`;
  return new BootError({ message, code: REFUSED.test(reason) ? 'FWK812' : 'FWK811' });
}
