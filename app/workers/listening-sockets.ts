import { createHook } from 'node:async_hooks';
import { closeWhenEmpty } from '../../plugins/http/index.js';

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

  /** Notice those which Node opens for a worker that boots, until `booted` resolves. */
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
