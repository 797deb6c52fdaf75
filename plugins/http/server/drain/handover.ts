import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Deferred, type Runtime, slotKey } from '../../../../kernel/index.js';
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
  /** Undefined for a trial. */
  readonly kind?: keyof typeof EXPECTED;
  /** The bytes that the receiver parses before those that it reads from the connection, in Latin-1. */
  readonly head?: string | undefined;
  /** Set if the client has already received the head of the response: 101, or an event stream. */
  readonly arrival?: Arrival;
}

/** What a worker knows and reports about connections that move between workers. */
export interface Moves {
  /** Resolves when no more connections arrive from workers that this one replaces. */
  readonly ended: Promise<void>;
  /** Send a connection to another process. Resolves with whether that process has taken it. */
  send(parcel: Parcel, handle: object): Promise<boolean>;
  reportImpossible(): void;
  /** Report that a WebSocket closes: it cannot move to another process or, if `hasMoved`, this process does not continue it. */
  reportClosed(reason: string, hasMoved: boolean): void;
}

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
  /** Connections that are on their way. */
  readonly #sends = new Set<Promise<boolean>>();
  readonly #ended = new Deferred();
  /** Whether no more connections move. */
  isOver = false;

  /** A connection that nobody takes, or whose client reads nothing, moves no more after `limit` milliseconds. */
  constructor(
    private readonly moves: Moves,
    private readonly limit: number,
  ) {}

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  end(): void {
    this.isOver = true;
    this.#ended.resolve();
  }

  /** Move a connection of this process's own, with a request that Node itself answers with 400 because it has no `Host`. */
  async isPossible(): Promise<boolean> {
    // In a worker, port 0 would be shared with the other workers.
    const server = createServer({ pauseOnConnect: true }).listen({
      port: 0,
      host: '127.0.0.1',
      exclusive: true,
    });
    const trial = process.platform === 'win32' ? Promise.resolve(false) : this.#tryMove(server);
    const isPossible = await Promise.race([trial.catch(() => false), delay(TRIAL_MS, false)]);
    server.close();
    if (!isPossible && !this.isOver) this.moves.reportImpossible();
    return isPossible;
  }

  async #tryMove(server: NetServer): Promise<boolean> {
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    const [socket] = (await once(server, 'connection')) as [Socket];
    socket.on('error', () => {});
    try {
      client.write('\r\n');
      if (!this.stopReading(socket) || !(await this.move(socket, { head: 'GET / HTTP/1.1\r\n' })))
        return false;
      const [answer] = await once(client, 'data');
      return String(answer).startsWith('HTTP/1.1 400');
    } finally {
      client.destroy();
      socket.destroy();
    }
  }

  /** Move the connections of `node` on which no request is in progress. `sockets`: all connections of `node`. Resolves with whether any has moved. */
  async moveIdle(node: Server, sockets: Iterable<Socket>): Promise<boolean> {
    const idle = idleConnections(node, sockets).map((socket) => ({ socket, bytesRead: socket.bytesRead }));
    let hasMoved = false;
    let isRefused = false;
    await this.forEach(idle, async ({ socket, bytesRead }) => {
      // A request may have arrived while others moved.
      if (isRefused || this.isOver || socket.bytesRead !== bytesRead || !this.stopReading(socket)) return;
      const head = hasAnswered(socket) ? FIRST_REQUEST : undefined;
      if (await this.#send(socket, { kind: 'idle connection', head })) hasMoved = true;
      else {
        isRefused = true;
        this.resumeReading(socket);
      }
    });
    return hasMoved;
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

  /** Leave what the client sends from now on to the process that takes the connection. Returns false if the connection cannot move. */
  stopReading(socket: Socket & SocketInternals): boolean {
    const handle = socket._handle;
    if (socket.destroyed || handle?.constructor.name !== 'TCP') return false;
    handle.readStop();
    // Otherwise, `resume` would read again.
    socket._read = () => {};
    return true;
  }

  /** Resolves with whether the operating system has everything that was sent. `waiting` returns how many bytes it does not have yet. */
  async flush(socket: Socket, waiting = (): number => socket.writableLength): Promise<boolean> {
    const until = performance.now() + this.limit;
    while (waiting() > 0 && performance.now() < until && !socket.destroyed) await delay(FLUSH_CHECK_MS);
    return waiting() === 0;
  }

  resumeReading(socket: Socket & SocketInternals): void {
    delete (socket as Partial<Socket>)._read;
    socket._handle?.readStart();
  }

  /** Offer a connection that is no longer read to another process. If that process takes it, its descriptor in this one is closed. */
  async #send(socket: Socket & SocketInternals, parcel: Parcel): Promise<boolean> {
    const handle = socket._handle;
    if (socket.destroyed || !handle) return false;
    const { timeout = 0 } = socket;
    socket.setTimeout(0);
    const sending = this.moves.send(parcel, handle);
    this.#sends.add(sending);
    const isTaken = await sending;
    this.#sends.delete(sending);
    if (isTaken) socket.destroy();
    else socket.setTimeout(timeout);
    return isTaken;
  }

  /** Hand a connection over that is no longer read. If no process takes it within the limit, read it again. */
  async move(socket: Socket, parcel: Parcel): Promise<boolean> {
    const until = performance.now() + this.limit;
    while (!socket.destroyed && !this.isOver) {
      if (await this.#send(socket, parcel)) return true;
      if (performance.now() > until) break;
      await delay(RETRY_MS);
    }
    this.resumeReading(socket);
    return false;
  }

  /**
   * Hand over the connection of an event stream that another process continues. `changes`: headers of the request that begins it
   * there. `from`: the connection's `bytesWritten` before the response.
   */
  async moveResponse(
    out: ServerResponse & ResponseInternals,
    changes: Readonly<Record<string, string>>,
    waiting: () => number,
    from: number,
  ): Promise<boolean> {
    const { req: raw } = out;
    const { socket } = raw;
    const kind = 'event stream';
    if (newestOn(socket) !== out || !EXPECTED[kind].test(out._header ?? '')) return false;
    if (!(await this.flush(socket, waiting)) || !this.stopReading(socket)) return false;
    const age = performance.now() - (exchangeOf(raw)?.startedAt ?? performance.now());
    const head = requestHead(raw, changes);
    const sent = socket.bytesWritten - from;
    if (!(await this.move(socket, { kind, head, arrival: { age, sent } }))) return false;
    abandonExchange(raw);
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
  { kind, head, arrival }: Parcel,
  handle: object,
): boolean {
  const listening = node._handle;
  if (!listening?.onconnection) return false;
  node.prependOnceListener('connection', (socket: Socket) => {
    if (arrival) setArrival(socket, arrival);
    if (head === undefined) return;
    if (kind) dropResponseHead(socket, kind);
    socket.unshift(Buffer.from(head, 'latin1'));
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

const MOVES = slotKey<Moves | undefined>('http.moves');

/** Undefined if this process belongs to no team of workers. The first call sets the value. */
export const movesOf = (runtime: Runtime, moves?: Moves): Moves | undefined =>
  runtime.slot(MOVES, () => moves);

/** The head of the response to the request in a parcel, by its kind. */
const EXPECTED = {
  'idle connection': /^HTTP/,
  WebSocket: /^HTTP\/1\.1 101 /,
  'event stream':
    /^HTTP\/1\.1 200 (?![\s\S]*\r\nContent-Encoding:)(?=[\s\S]*\r\nContent-Type: text\/event-stream)[\s\S]*\r\nTransfer-Encoding: chunked\r\n/i,
};
/** Closes a WebSocket with 1012 (RFC 6455 §5.5.1). */
const CLOSING_FRAME = Buffer.from([0x88, 2, 1012 >> 8, 1012 & 0xff]);

/**
 * Drop the head of the next response on a connection, because the client must not receive it or already has it. If it is
 * another one than expected, the connection is closed.
 */
function dropResponseHead(socket: Socket, kind: keyof typeof EXPECTED): void {
  const { write } = socket;
  let head = '';
  const drop = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk, rest[0] as BufferEncoding) : Buffer.from(chunk);
    const before = head.length;
    head += bytes.toString('latin1');
    const end = head.indexOf('\r\n\r\n') + 4;
    const written = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    if (end >= 4 && !EXPECTED[kind].test(head)) {
      // What follows must not reach the client either.
      socket.write = () => true;
      if (kind === 'WebSocket') Reflect.apply(write, socket, [CLOSING_FRAME, () => socket.destroy()]);
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
