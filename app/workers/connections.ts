import { createHook } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { closeWhenEmpty } from '../../plugins/http/internal.js';

/** What Node's primary sends with a connection, and the number under which it awaits whether that was taken. */
interface Passed {
  readonly cmd: 'NODE_CLUSTER';
  readonly act: 'newconn';
  readonly seq: number;
}

const isPassed = (message: unknown): message is Passed => {
  const { cmd, act } = Object(message) as Partial<Passed>;
  return cmd === 'NODE_CLUSTER' && act === 'newconn';
};

/** Milliseconds at most for which connections that the system has accepted are taken, however busy the machine is. */
const ACCEPT_LIMIT_MS = 1_000;

/** A socket on which Node's primary listens for workers. Node does not document these, and hides the object. */
interface Handle {
  /** To listen again sets the length of the kernel's backlog. */
  listen(backlog: number): number;
  /** Closing it again does nothing. */
  close(): void;
  /** Leaves `out` empty when it is closed. */
  getsockname(out: { address?: string; port?: number }): number;
  onconnection(error: number, connection: object | undefined): void;
}

const isHandle = (resource: object): resource is Handle =>
  'listen' in resource && 'close' in resource && 'getsockname' in resource;

/**
 * The sockets on which the primary listens for its workers. Node closes one when the last worker says that it accepts no more:
 * a connection that the primary has accepted until it hears of that goes to a worker that sends it back, and then to nobody; what
 * waits in the kernel is reset (https://github.com/nodejs/node/issues/21746). So they are closed here, before workers stop.
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

  /** Accept what waits for these ports, for workers that take it still, and listen on them no more. */
  async close(ports: ReadonlySet<number>): Promise<void> {
    await Promise.all([...this.#all].map((handle) => closeOne(handle, ports)));
  }
}

async function closeOne(handle: Handle, ports: ReadonlySet<number>): Promise<void> {
  const out: { address?: string; port?: number } = {};
  handle.getsockname(out);
  const { address, port } = out;
  if (address === undefined || port === undefined || !ports.has(port)) return;
  const pass = handle.onconnection;
  const socket = {
    address: { address, port },
    onConnection(count: () => void) {
      handle.onconnection = (error, connection) => {
        count();
        pass.call(handle, error, connection);
      };
      return () => {
        handle.onconnection = pass;
      };
    },
    shrink: () => void handle.listen(0),
    close: () => handle.close(),
  };
  await closeWhenEmpty(socket, () => new Promise(setImmediate), ACCEPT_LIMIT_MS);
}

/** How long what a process has said before its end may be on its way, in milliseconds. */
const READING_MS = 100;

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

  passOn(to: UnclaimedConnections | undefined): void {
    const heir = to?.process.connected ? to.process : undefined;
    for (const { message, connection } of this.#unclaimed.values())
      if (heir) (heir.send as Send)(message, connection);
      else connection.close();
    this.#unclaimed.clear();
  }
}

/** A message that is sent with a connection, as it is read where that has not come. */
interface Wrapped {
  readonly cmd: 'NODE_HANDLE';
  readonly msg: Passed;
}

const isWrapped = (message: unknown): message is Wrapped => {
  const { cmd, msg } = message as Partial<Wrapped>;
  return cmd === 'NODE_HANDLE' && isPassed(msg);
};

/**
 * Answers for connections that do not reach this process, since it has no file descriptor left for them. Node does not: its
 * primary passes no connection to a worker that owes it an answer, so one that ran out of descriptors once never got another
 * (https://github.com/nodejs/node, lib/internal/cluster/round_robin_handle.js, up to Node 26). Such a connection is closed, as
 * libuv does it in a process alone. `lost` is called for each.
 */
export function answerForLostConnections(lost: () => void): void {
  const emitter: EventEmitter = process;
  emitter.on('internalMessage', (message: unknown, handle: unknown) => {
    if (handle || !isWrapped(message)) return;
    process.send?.({ cmd: 'NODE_CLUSTER', ack: message.msg.seq, accepted: true });
    lost();
  });
}
