/**
 * A client of `@redis/client` (or `redis`), or of `ioredis`: what `createClient(…)` or `new Redis(…)` gives. Known by these members;
 * this package depends on neither.
 */
export type RedisClient = NodeRedisClient | IoRedisClient;

/** A client of the package `@redis/client`, known by these members: this package does not depend on it. */
export interface NodeRedisClient {
  readonly isReady: boolean;
  sendCommand(
    args: (string | Buffer)[],
    options?: { readonly timeout?: number | undefined },
  ): Promise<unknown>;
}

/** The same of the package `ioredis`. */
export interface IoRedisClient {
  readonly status: string;
  call(command: string, ...args: (string | Buffer)[]): Promise<unknown>;
}

/** A connection, whoever has made its client. */
export interface Link {
  isReady(): boolean;
  /** Rejects with the error that the server answers, or with what has become of the connection. */
  command(args: (string | Buffer)[]): Promise<unknown>;
  /** The same for a caller that has a time limit of its own: that of the client does not count, where it can be left out. */
  commandWithoutLimit(args: (string | Buffer)[]): Promise<unknown>;
  /** Listen to a channel from now on, after each new beginning of the connection, too. */
  subscribe(channel: string, receive: (message: Buffer) => void): Promise<unknown>;
  /** Resolves when it is there, however often that has to be tried. */
  connect(): Promise<unknown>;
  onReady(heard: () => void): void;
  onDown(heard: () => void): void;
  onError(heard: (cause: unknown) => void): void;
  /** End it when what was asked has been answered. */
  close(): Promise<unknown>;
  /** End it at once. */
  destroy(): void;
}

const HOW =
  "Give it a function that makes one: redis({ client: () => createClient({ url }) }) with '@redis/client', () => new Redis(url) with 'ioredis'";

/** Why these cannot be the clients of an app: a sentence, without its full stop. Undefined where they can. */
export function mistakeIn(made: unknown, second: unknown): string | undefined {
  if (has(made, 'then'))
    return `redis({ client }) gave a promise. ${HOW}, and leave it to redis() to connect it`;
  if (isOther(made))
    return `redis({ client }) gave a cluster, sentinels or a pool, which are not supported. ${HOW}`;
  if (!isNodeRedis(made) && !isIoRedis(made)) return `redis({ client }) gave what is not a client. ${HOW}`;
  const isOpen = isNodeRedis(made) ? made.isOpen : !BEGINNING.includes(made.status);
  if (isOpen || made === second)
    return `redis({ client }) gave a client that is in use already. ${HOW}, a new one each time: two connections are needed`;
  if (has(made.options) && made.options.keyPrefix)
    return 'redis({ client }) gave a client with a keyPrefix. Take it out: redis({ client, name }) has names of its own for each app';
  return undefined;
}

/** States of a client of ioredis that nobody has used. */
const BEGINNING = ['wait', 'connecting'];

/** The connection of a client; undefined where it is none. */
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
  // Its limit is an AbortSignal for each command, which costs a third of what the whole request does.
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
    // A prefix of keys is put before channels, too: whatever it is called, this connection listens to one.
    client.on('messageBuffer', (_channel: Buffer, message: Buffer) => receive(message));
    return client.subscribe(channel);
  },
  connect: () =>
    new Promise((resolve) => {
      client.on('ready', () => resolve(undefined));
      // It rejects when the first try fails, and goes on trying.
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

/** Those that connect to several servers, and pools: what they take and tell is different. */
const isOther = (value: unknown): boolean =>
  has(value) &&
  (value.isCluster === true || ['getSlotMaster', 'acquire', 'idleClients'].some((name) => name in value));

function has(value: unknown, ...methods: readonly string[]): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return methods.every((name) => typeof members[name] === 'function');
}
