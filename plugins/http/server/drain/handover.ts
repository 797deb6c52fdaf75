import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { hasAnswered, isAnswering, speaksHttp } from './drain.js';

// This file has all undocumented names of Node that moving a connection to another process depends on. `Handover.isPossible`
// moves a connection of its own first, which shows whether this version of Node has them.

interface Handle {
  readStart(): void;
  readStop(): void;
}
interface SocketInternals {
  readonly _handle?: Handle | null;
}
interface ServerInternals {
  readonly _handle?: { onconnection?(error: number, handle: object): void } | null;
}

/** What the receiver of a connection needs in addition to the connection. */
export interface Parcel {
  /** The bytes that the receiver parses before those that it reads from the connection, in Latin-1. */
  readonly head?: string;
  /** Whether the connection waits for its next request, not for its first one. */
  readonly isUsed?: boolean;
}

/** Send a connection to another process. Resolves with whether that process has taken it. */
export type Send = (parcel: Parcel, handle: object) => Promise<boolean>;

/** How many connections are on their way at a time. Node sends one descriptor per round trip, so more would only wait longer. */
const MAX_MOVES = 4;
const TRIAL_MS = 1_000;
/** Milliseconds until a process that did not take a connection, or another one, is asked again. */
const RETRY_MS = 50;

/** Moves the connections of this process to the processes that replace it. */
export class Handover {
  /** The connections that have moved, by kind. */
  readonly moved = { connections: 0 };

  /** `onImpossible` is called if connections cannot move. */
  constructor(
    private readonly send: Send,
    private readonly onImpossible: () => void,
  ) {}

  /** Move a connection of this process's own, with a request that Node itself answers with 400 because it has no `Host`. */
  async isPossible(): Promise<boolean> {
    const isPossible = process.platform !== 'win32' && (await this.#tryMove());
    if (!isPossible) this.onImpossible();
    return isPossible;
  }

  async #tryMove(): Promise<boolean> {
    // In a worker, port 0 would be shared with the other workers.
    const server = createServer({ pauseOnConnect: true }).listen({
      port: 0,
      host: '127.0.0.1',
      exclusive: true,
    });
    const attempt = async () => {
      await once(server, 'listening');
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
      const [socket] = (await once(server, 'connection')) as [Socket];
      try {
        client.write('\r\n');
        if (!(await this.#move(socket, { head: 'GET / HTTP/1.1\r\n' }))) return false;
        const [answer] = await once(client, 'data');
        return String(answer).startsWith('HTTP/1.1 400');
      } finally {
        client.destroy();
        socket.destroy();
      }
    };
    const result = await Promise.race([attempt().catch(() => false), delay(TRIAL_MS, false)]);
    server.close();
    return result;
  }

  /** Move the connections of `node` on which no request is in progress. `sockets`: all connections of `node`. Resolves with whether any has moved. */
  async moveIdle(node: Server, sockets: Iterable<Socket>): Promise<boolean> {
    const before = this.moved.connections;
    const idle = idleConnections(node, sockets).map((socket) => ({ socket, bytesRead: socket.bytesRead }));
    let isRefused = false;
    await this.forEach(idle, async ({ socket, bytesRead }) => {
      // A request may have arrived while others moved.
      if (isRefused || socket.bytesRead !== bytesRead || socket.destroyed) return;
      if (await this.#move(socket, { isUsed: hasAnswered(socket) })) this.moved.connections += 1;
      else isRefused = true;
    });
    if (isRefused) await delay(RETRY_MS);
    return this.moved.connections > before;
  }

  /** Call `move` for all items, for a few at a time. */
  async forEach<Item>(items: readonly Item[], move: (item: Item) => Promise<void>): Promise<void> {
    const rest = items.values();
    const moveRest = async () => {
      for (const item of rest) await move(item);
    };
    await Promise.all(Array.from({ length: MAX_MOVES }, moveRest));
  }

  /** Move a connection, or read it again if no process takes it. */
  async #move(socket: Socket & SocketInternals, parcel: Parcel): Promise<boolean> {
    const handle = socket._handle;
    if (handle?.constructor.name !== 'TCP') return false;
    handle.readStop();
    const { timeout = 0 } = socket;
    socket.setTimeout(0);
    const isTaken = await this.send(parcel, handle);
    // Closes only the descriptor of this process.
    if (isTaken) socket.destroy();
    else if (!socket.destroyed) {
      socket.setTimeout(timeout);
      handle.readStart();
    }
    return isTaken;
  }
}

/** Connections between two requests, and connections on which nothing has arrived yet. */
function idleConnections(node: Server, sockets: Iterable<Socket>): readonly Socket[] {
  const idle = new Set<Socket>();
  const all = [...sockets].map((socket) => ({ socket, destroy: socket.destroy }));
  for (const { socket } of all) {
    socket.destroy = () => {
      idle.add(socket);
      return socket;
    };
    if (socket.bytesRead === 0 && socket.readableLength === 0 && speaksHttp(socket)) idle.add(socket);
  }
  // Only Node's parser knows which connections are idle. This closes them, so their `destroy` is replaced.
  node.closeIdleConnections();
  for (const { socket, destroy } of all) socket.destroy = destroy;
  return [...idle].filter(
    (socket) => !socket.destroyed && !isAnswering(socket) && socket.writableLength === 0,
  );
}

/**
 * A request that Node itself answers, with 417 and without a body. Afterwards, a moved connection is idle like after any other
 * response, with `http.keepAliveTimeout` for its next request. A new connection would only have `http.headersTimeout`.
 */
const FIRST_REQUEST = 'HEAD / HTTP/1.1\r\nHost: localhost\r\nExpect: nothing\r\n\r\n';

/** Serve a connection that another process has sent. Returns false if this server no longer accepts connections. */
export function takeConnection(
  node: Server & ServerInternals,
  { head, isUsed }: Parcel,
  handle: object,
): boolean {
  const listening = node._handle;
  if (!listening?.onconnection) return false;
  node.prependOnceListener('connection', (socket: Socket) => {
    if (isUsed) dropResponseHead(socket);
    const first = isUsed ? FIRST_REQUEST : head;
    if (first !== undefined) socket.unshift(Buffer.from(first, 'latin1'));
  });
  listening.onconnection(0, handle);
  return true;
}

/** Drop the head of the next response on a connection, because the client must not receive it or already has it. */
function dropResponseHead(socket: Socket): void {
  const { write } = socket;
  let head = '';
  const drop = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk, rest[0] as BufferEncoding) : Buffer.from(chunk);
    const before = head.length;
    head += bytes.toString('latin1');
    const end = head.indexOf('\r\n\r\n') + 4;
    if (end >= 4) socket.write = write;
    const body = end >= 4 ? bytes.subarray(end - before) : Buffer.alloc(0);
    const written = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (body.length > 0) return Reflect.apply(write, socket, [body, written]);
    if (written) process.nextTick(written);
    return true;
  };
  socket.write = drop as Socket['write'];
}
