import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Runtime, slotKey } from '../../../../kernel/index.js';
import { type Arrival, abandonExchange, exchangeOf, setArrival } from '../../request/exchange.js';
import { hasAnswered, isAnswering, newestOn, speaksHttp } from './drain.js';

// This file has all undocumented names of Node that moving a connection to another process depends on. `Handover.isPossible`
// moves a connection of its own first, which shows whether this version of Node has them.

interface Handle {
  readStart(): void;
  readStop(): void;
}
interface SocketInternals {
  readonly _handle?: Handle | null;
}
interface ResponseInternals {
  /** The head that was sent. */
  readonly _header?: string | null;
}
interface ServerInternals {
  readonly _handle?: { onconnection?(error: number, handle: object): void } | null;
}

/** What the receiver of a connection needs in addition to the connection. */
export interface Parcel {
  /** The bytes that the receiver parses before those that it reads from the connection, in Latin-1. */
  readonly head?: string;
  /** Milliseconds since the request in `head` arrived. */
  readonly age?: number;
  /** What the plugin that serves the request in `head` needs to continue. */
  readonly details?: unknown;
  /** The response that the client has already received the head of: 101, or an event stream. */
  readonly expects?: 'upgrade' | 'events';
  /** Whether the connection waits for its next request, not for its first one. */
  readonly isUsed?: boolean;
}

/** Send a connection to another process. Resolves with whether that process has taken it. */
export type Send = (parcel: Parcel, handle: object) => Promise<boolean>;

/** How many connections are on their way at a time. Node sends one descriptor per round trip, so more would only wait longer. */
const MAX_MOVES = 4;
/** A new process that is busy may be slow to answer, and a failed trial closes every connection. */
const TRIAL_MS = 5_000;
/** Milliseconds after which the next connection moves, although an earlier one still waits: for its callback or for its client. */
const SLOW_MOVE_MS = 50;
const FLUSH_CHECK_MS = 2;
/** Milliseconds until a process that did not take a connection, or another one, is asked again. */
const RETRY_MS = 50;

/** Moves the connections of this process to the processes that replace it. */
export class Handover {
  /** The connections that have moved, by kind. */
  readonly moved = { sockets: 0, streams: 0, connections: 0 };
  /** Connections that are on their way. */
  readonly #sends = new Set<Promise<boolean>>();
  /** The number of closed connections by reason. */
  readonly closed = new Map<string, number>();

  /**
   * A connection that nobody takes, or whose client reads nothing, moves no more after `limit` milliseconds. `onImpossible` is
   * called if connections cannot move.
   */
  constructor(
    private readonly send: Send,
    readonly limit: number,
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
    let isOver = false;
    const attempt = async () => {
      await once(server, 'listening');
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
      const [socket] = (await once(server, 'connection')) as [Socket];
      socket.on('error', () => {});
      try {
        client.write('\r\n');
        if (!this.stopReading(socket)) return false;
        const parcel = { head: 'GET / HTTP/1.1\r\n' };
        if (!(await this.moveUntil(socket, parcel, () => isOver))) return false;
        const [answer] = await once(client, 'data');
        return String(answer).startsWith('HTTP/1.1 400');
      } finally {
        client.destroy();
        socket.destroy();
      }
    };
    const result = await Promise.race([attempt().catch(() => false), delay(TRIAL_MS, false)]);
    isOver = true;
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
      if (!this.stopReading(socket)) return;
      if (await this.move(socket, { isUsed: hasAnswered(socket) })) this.moved.connections += 1;
      else {
        isRefused = true;
        this.resumeReading(socket);
      }
    });
    if (isRefused) await delay(RETRY_MS);
    return this.moved.connections > before;
  }

  /** Call `move` for all items, a few at a time. A call that takes long does not delay the next ones. Resolves when all are done. */
  async forEach<Item>(items: Iterable<Item>, move: (item: Item) => Promise<void>): Promise<void> {
    const rest = items[Symbol.iterator]();
    const moves: Promise<void>[] = [];
    const moveRest = async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) {
        const moving = move(next.value);
        moves.push(moving);
        await Promise.race([moving, delay(SLOW_MOVE_MS)]);
        while (this.#sends.size >= MAX_MOVES) await Promise.race(this.#sends);
      }
    };
    await Promise.all(Array.from({ length: MAX_MOVES }, moveRest));
    await Promise.all(moves);
  }

  countClosed(reason: string): void {
    this.closed.set(reason, (this.closed.get(reason) ?? 0) + 1);
  }

  /** Leave what the client sends from now on to the process that takes the connection. Returns false if the connection cannot move. */
  stopReading(socket: Socket & SocketInternals): boolean {
    const handle = socket._handle;
    if (socket.destroyed || handle?.constructor.name !== 'TCP') return false;
    handle.readStop();
    // Otherwise, `resume` would read again.
    socket._read = () => {};
    return true;
  }

  resumeReading(socket: Socket & SocketInternals): void {
    delete (socket as Partial<Socket>)._read;
    socket._handle?.readStart();
  }

  /** Hand a connection over that is no longer read. If another process takes it, its descriptor in this process is closed. */
  async move(socket: Socket & SocketInternals, parcel: Parcel): Promise<boolean> {
    const handle = socket._handle;
    if (socket.destroyed || !handle) return false;
    const { timeout = 0 } = socket;
    socket.setTimeout(0);
    const sending = this.send(parcel, handle);
    this.#sends.add(sending);
    const isTaken = await sending;
    this.#sends.delete(sending);
    if (isTaken) socket.destroy();
    else socket.setTimeout(timeout);
    return isTaken;
  }

  /** `move`, again until the limit or until `isOver` returns true. If no process takes the connection, read it again. */
  async moveUntil(socket: Socket, parcel: Parcel, isOver = () => false): Promise<boolean> {
    const until = performance.now() + this.limit;
    while (!socket.destroyed && !isOver()) {
      if (await this.move(socket, parcel)) return true;
      if (performance.now() > until) break;
      await delay(RETRY_MS);
    }
    this.resumeReading(socket);
    return false;
  }

  /**
   * Hand over the connection of an event stream that another process continues. `changes`: headers of the request that begins it
   * there. `waiting` returns how many bytes have not been passed to the operating system yet.
   */
  async moveResponse(
    out: ServerResponse & ResponseInternals,
    changes: Readonly<Record<string, string>>,
    waiting: () => number,
  ): Promise<boolean> {
    const { req: raw } = out;
    const { socket } = raw;
    if (newestOn(socket) !== out || !EXPECTED.events.test(out._header ?? '')) return false;
    const until = performance.now() + this.limit;
    while (waiting() > 0 && performance.now() < until && !socket.destroyed) await delay(FLUSH_CHECK_MS);
    if (waiting() > 0 || !this.stopReading(socket)) return false;
    const age = performance.now() - (exchangeOf(raw)?.startedAt ?? performance.now());
    const head = requestHead(raw, changes);
    if (!(await this.moveUntil(socket, { head, expects: 'events', details: {}, age }))) return false;
    abandonExchange(raw);
    this.moved.streams += 1;
    return true;
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
  { head, details, age = 0, expects, isUsed }: Parcel,
  handle: object,
  refuse: Arrival['refuse'],
): boolean {
  const listening = node._handle;
  if (!listening?.onconnection) return false;
  node.prependOnceListener('connection', (socket: Socket) => {
    if (isUsed) dropResponseHead(socket);
    if (expects)
      dropResponseHead(socket, EXPECTED[expects], expects === 'upgrade' ? CLOSING_FRAME : undefined);
    if (details !== undefined) setArrival(socket, { details, age, refuse });
    const first = isUsed ? FIRST_REQUEST : head;
    if (first !== undefined) socket.unshift(Buffer.from(first, 'latin1'));
  });
  listening.onconnection(0, handle);
  return true;
}

/** The head of a request as it was received, with other values for some headers. A header without a value is left out. */
export function requestHead(
  raw: IncomingMessage,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const lines = [`${raw.method} ${raw.url} HTTP/${raw.httpVersion}`];
  const add = (name: string, value: string | undefined) =>
    value !== undefined && lines.push(`${name}: ${value}`);
  for (let index = 0; index < raw.rawHeaders.length; index += 2) {
    const name = raw.rawHeaders[index] ?? '';
    if (!(name.toLowerCase() in changes)) add(name, raw.rawHeaders[index + 1]);
  }
  for (const [name, value] of Object.entries(changes)) add(name, value);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** What a process of a team of workers knows about connections that other workers hand over to it. */
export interface Arrivals {
  /** Resolves when no more connections arrive from workers that this one replaces; undefined if it replaces none. */
  readonly ended: Promise<void> | undefined;
}

const ARRIVALS = slotKey<{ arrivals: Arrivals | undefined }>('http.arrivals');

export const expectArrivals = (runtime: Runtime, arrivals: Arrivals): void => {
  runtime.slot(ARRIVALS, () => ({ arrivals: undefined })).arrivals = arrivals;
};

/** Undefined if this process belongs to no team of workers, so that connections neither come nor go. */
export const arrivalsOf = (runtime: Runtime): Arrivals | undefined =>
  runtime.slot(ARRIVALS, () => ({ arrivals: undefined })).arrivals;

const EXPECTED = {
  upgrade: /^HTTP\/1\.1 101 /,
  events:
    /^HTTP\/1\.1 200 (?![\s\S]*\r\nContent-Encoding:)(?=[\s\S]*\r\nContent-Type: text\/event-stream)[\s\S]*\r\nTransfer-Encoding: chunked\r\n/i,
};
/** Closes a WebSocket with 1012 (RFC 6455 §5.5.1). */
const CLOSING_FRAME = Buffer.from([0x88, 2, 1012 >> 8, 1012 & 0xff]);

/**
 * Drop the head of the next response on a connection, because the client must not receive it or already has it. If the head does not
 * match `expected`, the connection is closed, after `last`.
 */
function dropResponseHead(socket: Socket, expected = /^HTTP/, last?: Buffer): void {
  const { write } = socket;
  let head = '';
  const drop = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk, rest[0] as BufferEncoding) : Buffer.from(chunk);
    const before = head.length;
    head += bytes.toString('latin1');
    const end = head.indexOf('\r\n\r\n') + 4;
    const written = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (end >= 4 && !expected.test(head)) {
      // What follows must not reach the client either.
      socket.write = () => true;
      if (last) Reflect.apply(write, socket, [last, () => socket.destroy()]);
      else socket.destroy();
    } else if (end >= 4) {
      socket.write = write;
      const body = bytes.subarray(end - before);
      if (body.length > 0) return Reflect.apply(write, socket, [body, written]);
    }
    if (written) process.nextTick(written);
    return true;
  };
  socket.write = drop as Socket['write'];
}
