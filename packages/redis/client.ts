/**
 * A client of `@redis/client` (or `redis`), or of `ioredis`: the result of `createClient(…)` or `new Redis(…)`. The types list only the
 * members used here, because this package depends on neither.
 */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** A client of `@redis/client`. */
export interface NodeRedisClient {
  readonly isReady: boolean;
  sendCommand(
    args: (string | Buffer)[],
    options?: { readonly timeout?: number | undefined },
  ): Promise<unknown>;
}

/** A client of `ioredis`. */
export interface IoRedisClient {
  readonly status: string;
  call(command: string, ...args: (string | Buffer)[]): Promise<unknown>;
}

/** A connection with a client of either package. */
export interface Link {
  isReady(): boolean;
  /** Rejects with the error of the server or of the connection. */
  command(args: (string | Buffer)[]): Promise<unknown>;
  /** The same for a caller with a timeout of its own: without the client's timeout, if it can be disabled. */
  commandWithoutLimit(args: (string | Buffer)[]): Promise<unknown>;
  /** Subscribe to a channel, also after each reconnect. */
  subscribe(channel: string, receive: (message: Buffer) => void): Promise<unknown>;
  /** Resolves when the client is connected, after any number of attempts. */
  connect(): Promise<unknown>;
  onReady(heard: () => void): void;
  onDown(heard: () => void): void;
  onError(heard: (cause: unknown) => void): void;
  /** Close the connection after pending commands are answered. */
  close(): Promise<unknown>;
  /** Close the connection immediately. */
  destroy(): void;
}

const HOW =
  "Pass a function that returns a new client: redis({ client: () => createClient({ url }) }) with '@redis/client', or () => new Redis(url) with 'ioredis'";

/** Why an app cannot use these clients: a sentence without its full stop. Undefined if it can. */
export function mistakeIn(made: unknown, second: unknown): string | undefined {
  if (has(made, 'then'))
    return `redis({ client }) returned a promise. ${HOW}. Do not connect it: redis() does that`;
  if (isOther(made))
    return `redis({ client }) returned a cluster, sentinel or pool, which is not supported. ${HOW}`;
  if (!isNodeRedis(made) && !isIoRedis(made)) return `redis({ client }) did not return a client. ${HOW}`;
  const isOpen = isNodeRedis(made) ? made.isOpen : !BEGINNING.includes(made.status);
  if (isOpen || made === second)
    return `redis({ client }) returned a client that is already in use. ${HOW}. It must create a client on each call, because redis() needs two connections`;
  if (has(made.options) && made.options.keyPrefix)
    return 'redis({ client }) returned a client with a keyPrefix. Remove the prefix: redis({ client, name }) already separates the keys of each app';
  return undefined;
}

/** States of an ioredis client that is not in use yet. */
const BEGINNING = ['wait', 'connecting'];

/** The connection of a client; undefined for any other value. */
export function linkOf(client: unknown): Link | undefined {
  if (isOther(client)) return undefined;
  if (isNodeRedis(client)) return nodeRedis(client);
  return isIoRedis(client) ? ioRedis(client) : undefined;
}

interface Emitter {
  readonly options?: unknown;
  on(event: string, heard: (...args: never[]) => void): unknown;
}

interface NodeRedis extends NodeRedisClient, Emitter {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  subscribe(channel: string, receive: (message: Buffer) => void, bytes: true): Promise<unknown>;
  close(): Promise<unknown>;
  destroy(): void;
}

interface IoRedis extends IoRedisClient, Emitter {
  connect(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  quit(): Promise<unknown>;
  disconnect(): void;
}

const nodeRedis = (client: NodeRedis): Link => ({
  isReady: () => client.isReady,
  command: (args) => client.sendCommand(args),
  // The client implements its timeout with an AbortSignal per command, which takes a third of the whole request's time.
  commandWithoutLimit: (args) => client.sendCommand(args, { timeout: undefined }),
  subscribe: (channel, receive) => client.subscribe(channel, (message) => receive(message), true),
  connect: () => client.connect(),
  onReady: (heard) => void client.on('ready', heard),
  onDown: (heard) => {
    for (const event of ['reconnecting', 'terminated', 'end']) client.on(event, heard);
  },
  onError: (heard) => void client.on('error', heard),
  close: () => client.close(),
  destroy: () => client.destroy(),
});

const ioRedis = (client: IoRedis): Link => ({
  isReady: () => client.status === 'ready',
  command: ([name, ...args]) => client.call(String(name), ...args),
  commandWithoutLimit: ([name, ...args]) => client.call(String(name), ...args),
  subscribe: (channel, receive) => {
    // ioredis adds keyPrefix to channel names as well. The name is ignored, because this connection has only one channel.
    client.on('messageBuffer', (_channel: Buffer, message: Buffer) => receive(message));
    return client.subscribe(channel);
  },
  connect: () =>
    new Promise((resolve) => {
      client.on('ready', () => resolve(undefined));
      // connect() rejects if the first attempt fails, but the client keeps trying.
      if (client.status === 'wait') client.connect().catch(() => {});
    }),
  onReady: (heard) => void client.on('ready', heard),
  onDown: (heard) => void client.on('close', heard),
  onError: (heard) => void client.on('error', heard),
  close: () => client.quit(),
  destroy: () => client.disconnect(),
});

const isNodeRedis = (value: unknown): value is NodeRedis =>
  has(value, 'sendCommand', 'connect', 'subscribe', 'close', 'destroy', 'on') &&
  typeof value.isReady === 'boolean' &&
  typeof value.isOpen === 'boolean';

const isIoRedis = (value: unknown): value is IoRedis =>
  has(value, 'call', 'connect', 'subscribe', 'quit', 'disconnect', 'on') && typeof value.status === 'string';

/** Whether `value` is a client for several servers, or a pool: their methods and events differ. */
const isOther = (value: unknown): boolean =>
  has(value) &&
  (value.isCluster === true || ['getSlotMaster', 'acquire', 'idleClients'].some((name) => name in value));

function has(value: unknown, ...methods: readonly string[]): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return methods.every((name) => typeof members[name] === 'function');
}
