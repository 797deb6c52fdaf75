import { BootError, messageOf, Unavailable } from 'fwkit/plugin';
import { type Link, linkOf, mistakeIn } from './client.js';

export interface ConnectionEvents {
  /** Both connections are ready. May be called more than once. */
  readonly ready: () => void;
  readonly down: () => void;
  readonly error: (reason: string) => void;
}

/** Two connections to a server: one for commands, and one for the subscription. */
export class Connection {
  readonly #commands: Link;
  readonly #listener: Link;
  /** The published messages without an answer, and their size. */
  waiting = 0;
  waitingBytes = 0;
  #isSubscribed = false;
  #isOver = false;

  constructor(makeClient: () => unknown, events: ConnectionEvents) {
    const clients = [makeClient(), makeClient()] as const;
    const [commands, listener] = [linkOf(clients[0]), linkOf(clients[1])];
    const mistake = mistakeIn(...clients);
    if (mistake !== undefined || !commands || !listener) {
      for (const client of clients) end(client);
      throw new BootError({ message: `${mistake}.`, code: 'FWK810' });
    }
    for (const link of [commands, listener]) {
      link.onError((cause) => events.error(messageOf(cause)));
      link.onReady(events.ready);
      link.onDown(events.down);
    }
    this.#commands = commands;
    this.#listener = listener;
  }

  /** Resolves when both are connected and subscribed to `channel`. Rejects with the error of the server. */
  async open(channel: string, receive: (message: Buffer) => void): Promise<void> {
    await Promise.all([this.#commands.connect(), this.#listener.connect()]);
    await this.#listener.subscribe(channel, receive);
    this.#isSubscribed = true;
  }

  isReady(): boolean {
    return this.#isSubscribed && this.#commands.isReady() && this.#listener.isReady();
  }

  command(args: (string | Buffer)[]): Promise<unknown> {
    return this.#commands.commandWithoutLimit(args);
  }

  /** Publish a message. Calls `settled` with whether that succeeded, unless the connection is destroyed before. */
  publish(
    channel: string,
    message: string | Buffer,
    bytes: number,
    settled: (isDone: boolean) => void,
  ): void {
    this.waiting += 1;
    this.waitingBytes += bytes;
    const settle = (isDone: boolean): void => {
      this.waiting -= 1;
      this.waitingBytes -= bytes;
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
    // The connection is closed already.
  }
}

/** Destroy a rejected client, whose connection errors would have no listener. A connected client belongs to the app, so keep it. */
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

/** Errors of the server about a command, which a retry does not fix. */
const MISTAKE = /^(?:ERR|WRONGTYPE|NOSCRIPT)\b/;

/** The error for the caller. It has no `cause`, because the client's error contains the values that were sent. */
export function refusal(cause: unknown): Error {
  const reason = messageOf(cause);
  return MISTAKE.test(reason) ? new Error(`redis: ${reason}`) : new Unavailable(`redis: ${reason}`);
}

/** Errors of authentication and permissions, which a retry does not fix. */
export const REFUSED = /\b(?:NOAUTH|NOPERM|WRONGPASS)\b/;

/** The error of a replica for a command that writes. */
export const READ_ONLY = /\bREADONLY\b/;

export function unreachable(cause: unknown): BootError {
  if (cause instanceof BootError) return cause;
  const reason = messageOf(cause).replace(/^redis: /, '');
  const message = REFUSED.test(reason)
    ? `redis denies access: ${reason}. Correct the user and password in redis({ client }), or grant that user the missing permissions.`
    : `redis cannot be reached: ${reason}. Start Redis, or correct the address in redis({ client }).`;
  return new BootError({ message, code: REFUSED.test(reason) ? 'FWK812' : 'FWK811' });
}
