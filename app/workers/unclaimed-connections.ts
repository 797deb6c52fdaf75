import type { ChildProcess } from 'node:child_process';
import { isPassed, type Passed } from './passed-connection.js';

/** How long what a process has said before its end may be on its way, in milliseconds. */
const READING_MS = 100;

/** A connection, as Node's primary holds it. */
interface Connection {
  close(): void;
}

type Send = (message: unknown, handle?: unknown, ...rest: unknown[]) => boolean;

/**
 * The connections that a worker was given and has not taken yet. Where it dies before, Node's primary waits for its answer for ever,
 * and so does the client: nothing closes such a connection (lib/internal/cluster/round_robin_handle.js, up to Node 26).
 */
export class UnclaimedConnections {
  /** Resolves when nothing comes of the worker any more, all that it has said having been read. */
  readonly left: Promise<unknown>;
  readonly process: ChildProcess;
  readonly #unclaimed = new Map<number, { readonly message: Passed; readonly connection: Connection }>();

  constructor(process: ChildProcess) {
    this.process = process;
    this.left = new Promise((resolve) => {
      process.once('disconnect', resolve);
      // It is not emitted for one that was killed while a connection was on its way to it.
      process.once('exit', () => setTimeout(resolve, READING_MS));
    });
    const send = process.send.bind(process) as Send;
    const noting: Send = (message, handle, ...rest) => {
      if (isPassed(message) && handle)
        this.#unclaimed.set(message.seq, { message, connection: handle as Connection });
      return send(message, handle, ...rest);
    };
    Object.assign(process, { send: noting });
    process.on('internalMessage', (message: unknown) => {
      const { ack } = Object(message) as { readonly ack?: number };
      if (ack !== undefined) this.#unclaimed.delete(ack);
    });
  }

  /** It has left: give its connections to another, or close them where there is none. */
  passOn(to: UnclaimedConnections | undefined): void {
    const heir = to?.process.connected ? to.process : undefined;
    for (const { message, connection } of this.#unclaimed.values())
      if (heir) (heir.send as Send)(message, connection);
      else connection.close();
    this.#unclaimed.clear();
  }
}
