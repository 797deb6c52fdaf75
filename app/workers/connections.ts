import { createHook } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { closeWhenEmpty, type ListeningHandle } from '../../plugins/http/internal.js';

/** The message that Node's primary sends with a connection, and the number of its pending reply. */
interface ConnectionMessage {
  readonly cmd: 'NODE_CLUSTER';
  readonly act: 'newconn';
  readonly seq: number;
}

const isConnectionMessage = (message: unknown): message is ConnectionMessage => {
  const { cmd, act } = Object(message) as Partial<ConnectionMessage>;
  return cmd === 'NODE_CLUSTER' && act === 'newconn';
};

/** The longest time for which already accepted connections are taken, in milliseconds, however busy the machine is. */
const ACCEPT_LIMIT_MS = 1_000;

/** A socket on which Node's primary listens for workers. Node does not expose it. */
type Handle = Required<ListeningHandle> & { close(): void };

const isHandle = (resource: object): resource is Handle =>
  'listen' in resource && 'close' in resource && 'getsockname' in resource;

/**
 * The sockets on which the primary listens for its workers. They are closed here, before workers stop, because Node closes a socket only
 * when the last worker reports that it accepts no more connections. Connections that the primary accepts before it reads that report
 * are lost, and connections that wait in the kernel are reset (https://github.com/nodejs/node/issues/21746).
 */
export class ListeningSockets {
  readonly #all = new Set<Handle>();
  #booting = 0;
  readonly #hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TCPSERVERWRAP' && isHandle(resource)) this.#all.add(resource);
    },
  });

  watch(booted: Promise<unknown>): void {
    if (this.#booting === 0) this.#hook.enable();
    this.#booting += 1;
    void booted.then(() => {
      this.#booting -= 1;
      if (this.#booting === 0) this.#hook.disable();
    });
  }

  /** Accept the connections that wait for these ports, for workers that still take them, and stop listening. */
  async close(ports: ReadonlySet<number>): Promise<void> {
    const turn = () => new Promise(setImmediate);
    const closing = [...this.#all].filter((handle) => {
      const out: { port?: number } = {};
      handle.getsockname(out);
      return out.port !== undefined && ports.has(out.port);
    });
    await Promise.all(
      closing.map((handle) => closeWhenEmpty(handle, () => handle.close(), turn, ACCEPT_LIMIT_MS)),
    );
  }
}

/** How long messages that a process sent before its end may take to arrive, in milliseconds. */
const READING_MS = 100;

interface Connection {
  close(): void;
}

type Send = (message: unknown, handle?: unknown, ...rest: unknown[]) => boolean;

/** The connections that a worker has not accepted yet. If it dies, Node's primary and the client would wait forever (up to Node 26). */
export class UnclaimedConnections {
  /** Resolves when all messages of the worker have been read and no more can arrive. */
  readonly left: Promise<unknown>;
  readonly #unclaimed = new Map<
    number,
    { readonly message: ConnectionMessage; readonly connection: Connection }
  >();

  constructor(readonly process: ChildProcess) {
    this.left = new Promise((resolve) => {
      process.once('disconnect', resolve);
      // The event is not emitted for a worker that was killed while a connection was on its way to it.
      process.once('exit', () => setTimeout(resolve, READING_MS));
    });
    const send = process.send.bind(process) as Send;
    const noting: Send = (message, handle, ...rest) => {
      if (isConnectionMessage(message) && handle)
        this.#unclaimed.set(message.seq, { message, connection: handle as Connection });
      return send(message, handle, ...rest);
    };
    Object.assign(process, { send: noting });
    process.on('internalMessage', (message: unknown) => {
      const { ack } = Object(message) as { readonly ack?: number };
      if (ack !== undefined) this.#unclaimed.delete(ack);
    });
  }

  passOn(to: UnclaimedConnections | undefined): void {
    const successor = to?.process.connected ? to.process : undefined;
    for (const { message, connection } of this.#unclaimed.values())
      if (successor) (successor.send as Send)(message, connection);
      else connection.close();
    this.#unclaimed.clear();
  }
}

/** The form in which a process receives a message if the connection that was sent with it did not arrive. */
interface UndeliveredMessage {
  readonly cmd: 'NODE_HANDLE';
  readonly msg: unknown;
}

const isUndelivered = (message: unknown): message is UndeliveredMessage =>
  (message as Partial<UndeliveredMessage>).cmd === 'NODE_HANDLE';

/** Call `lost` with each message to `process` if the connection that was sent with it did not arrive. */
export const onUndelivered = (process: EventEmitter, lost: (message: unknown) => void): void =>
  void process.on('internalMessage', (message: unknown, handle: unknown) => {
    if (!handle && isUndelivered(message)) lost(message.msg);
  });

/**
 * Replies for connections that do not reach this process because it has no free file descriptor, and calls `lost` for each. Node itself
 * sends no reply, and its primary passes no connection to a worker with a pending reply (https://github.com/nodejs/node,
 * lib/internal/cluster/round_robin_handle.js, up to Node 26). The connection is closed, as libuv does in a single process.
 */
export function acknowledgeLostConnections(lost: () => void): void {
  onUndelivered(process, (message) => {
    if (!isConnectionMessage(message)) return;
    process.send?.({ cmd: 'NODE_CLUSTER', ack: message.seq, accepted: true });
    lost();
  });
}
