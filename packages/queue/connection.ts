import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { BackendFactory, IRedisClient } from 'bullmq';
import { BootError, Deferred, isObject, messageOf, settledWithin } from 'fwkit/plugin';

export type BullMQ = typeof import('bullmq');

const HINT =
  'Use ioredis, () => new Redis(process.env.REDIS_URL), or @redis/client, () => createClient({ url: process.env.REDIS_URL }).';

/** Wrap the client that `connection` returned for BullMQ. Throws BootError for any other value. */
export function adoptClient(bull: BullMQ, made: unknown): IRedisClient {
  if (!isObject(made)) throw refused('did not return a client');
  const { isCluster, slots, options, defineCommand, sendCommand } = made;
  if (isCluster === true || slots !== undefined)
    throw refused('returned a Redis Cluster client, which is not supported');
  if (isObject(options) && options.keyPrefix)
    throw refused(
      'returned a client with a keyPrefix, which BullMQ does not support. Remove it: queues({ name }) separates apps',
    );
  if (typeof defineCommand === 'function') {
    // By default, ioredis fails a command after 20 reconnects, and BullMQ rejects a client with that setting.
    if (isObject(options)) options.maxRetriesPerRequest = null;
    return bull.createIORedisClient(made as Parameters<BullMQ['createIORedisClient']>[0]);
  }
  if (typeof sendCommand === 'function' && 'isReady' in made)
    return markLostCommands(
      bull.createNodeRedisClient(made as Parameters<BullMQ['createNodeRedisClient']>[0]),
    );
  throw refused('returned an unknown kind of client');
}

/** How BullMQ recognizes a lost connection. It then pauses and tries again; after another error, it tries again at once or gives up. */
const LOST = 'Connection is closed.';
/** How long INFO waits before it is sent again, in milliseconds. */
const RETRY_MS = 100;

/**
 * When a connection closes, `@redis/client` rejects its commands with many different errors, which BullMQ takes for answers of Redis: it
 * repeats them without a pause, or counts a completed job as failed. BullMQ sends INFO once for each connection, and can never use a
 * connection for which it failed. ioredis repeats such commands by itself.
 */
function markLostCommands(client: IRedisClient): IRedisClient {
  const mark = (cause: unknown): never => {
    throw isConnectionError(cause) ? new Error(LOST, { cause }) : cause;
  };
  const call = (key: PropertyKey, method: () => unknown): unknown => {
    const result = method();
    if (key === 'duplicate') return markLostCommands(result as IRedisClient);
    if (!(result instanceof Promise) || key === 'connect') return result;
    if (key !== 'info') return result.catch(mark);
    return result.catch(async (cause) => {
      if (client.status === 'end' || !isConnectionError(cause)) return mark(cause);
      await pause(RETRY_MS);
      return call(key, method);
    });
  };
  return new Proxy(client, {
    get(_, key) {
      const member: unknown = Reflect.get(client, key);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => call(key, () => Reflect.apply(member, client, args));
    },
  });
}

/** Whether an error is about the connection, and not an answer of Redis, which begins with a word in capitals. */
export function isConnectionError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = 'code' in thrown ? String(thrown.code) : '';
  if (/^E[A-Z]+$/.test(code)) return true;
  return (
    /closed|disconnect|offline|timed? ?out|ECONN|socket/i.test(thrown.message) &&
    !/^[A-Z]{3,} /.test(thrown.message)
  );
}

const refused = (problem: string): BootError =>
  new BootError({ message: `queues({ connection }) ${problem}. ${HINT}`, code: 'FWK830' });

/** Resolves when the client is connected. Rejects with BootError after `limit` milliseconds, or when the client gives up. */
export async function connected(client: IRedisClient, limit: number): Promise<void> {
  let last: unknown = `no answer within ${limit} ms`;
  const note = (thrown: unknown): void => {
    last = thrown;
  };
  // This listener stays, because an `error` event without a listener is thrown.
  client.on('error', note);
  const ended = new Deferred();
  const ready = new Deferred();
  client.once('ready', () => ready.resolve());
  client.once('end', () => ended.resolve());
  // A lazy client, which would connect on first use.
  if (client.status === 'wait') client.connect().catch(note);
  if (client.status === 'ready') return;
  await settledWithin(Promise.race([ready.promise, ended.promise]), limit);
  if (client.status === 'ready') return;
  client.disconnect();
  throw unreachable(last);
}

export const unreachable = (why: unknown): BootError =>
  new BootError({
    message: `The broker of queues() cannot be reached: ${messageOf(why)}. Start the broker, or correct the address in queues({ connection }) in fwk.config.`,
    code: 'FWK831',
  });

/** How long an attempt to connect may take, in milliseconds. */
const CONNECT_MS = 2_000;

interface SilenceOptions {
  readonly client: IRedisClient;
  readonly key: string;
  /** Returns how long the client may be silent, in milliseconds. Called for each check. */
  readonly giveUp: () => number;
  /** Called before a connection is replaced. */
  readonly onSilence: (why: string) => void;
  readonly onRenewed: () => void;
}

/** Reconnects a silent client, which would wait forever if a network drops all packets: BullMQ only checks clients that wait for jobs. */
export class Silence {
  #heardAt = performance.now();
  #renewedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  readonly #hear = (): void => {
    this.#heardAt = performance.now();
  };

  constructor(private readonly options: SilenceOptions) {
    // A client that emits an error reconnects by its own means.
    for (const event of ['ready', 'error']) options.client.on(event, this.#hear);
    this.#next();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #next(): void {
    const { client, giveUp } = this.options;
    const pause = giveUp() / 2;
    const next = client.status === 'ready' ? pause : Math.min(pause, CONNECT_MS / 2);
    this.#timer = setTimeout(() => void this.#look(), next).unref();
  }

  /**
   * Replace the connection after an error of a replica: after a failover, existing connections lead to the previous primary, and new ones
   * to the primary.
   */
  leaveReplica(cause: unknown): void {
    const isNew = performance.now() - this.#renewedAt < this.options.giveUp();
    if (!isNew && /\bREADONLY\b/.test(messageOf(cause))) this.#renew(messageOf(cause));
  }

  #renew(why: string): void {
    const { client, onSilence, onRenewed } = this.options;
    onSilence(why);
    this.#heardAt = this.#renewedAt = performance.now();
    client.off('ready', onRenewed);
    client.once('ready', onRenewed);
    client.disconnect(true);
  }

  async #look(): Promise<void> {
    const { client, key, giveUp } = this.options;
    const limit = giveUp();
    const ask = () => client.get(key).then(this.#hear, () => {});
    if (client.status === 'ready') await settledWithin(ask(), limit / 2);
    if (this.#timer === undefined) return;
    // An attempt to connect whose packets were dropped would wait for a long time after the network works again.
    const patience = client.status === 'ready' ? limit : Math.min(limit, CONNECT_MS);
    if (performance.now() - this.#heardAt >= patience) this.#renew(`no answer for ${limit} ms`);
    this.#next();
  }
}

const guarded = new WeakSet<object>();

/** Keeps a broken connection of the `pg` pool from crashing the process: BullMQ adds no `error` listener to its clients. */
export const guardedBackend =
  (make: BackendFactory): BackendFactory =>
  (...given) => {
    const backend = make(...given);
    const { pool } = Object(Reflect.get(backend, 'connection'));
    // All queues may share one pool.
    if (pool instanceof EventEmitter && !guarded.has(pool)) {
      guarded.add(pool);
      pool.on('connect', (client: EventEmitter) => client.on('error', () => {}));
    }
    return backend;
  };
