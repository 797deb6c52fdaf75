import type { EventEmitter } from 'node:events';
import type { BackendFactory, IRedisClient } from 'bullmq';
import type { Logger } from 'fwkit';
import { Outage } from 'fwkit/peers';
import { BootError, Deferred, isObject, messageOf, settledWithin, Unavailable } from 'fwkit/plugin';

export type BullMQ = typeof import('bullmq');

const HINT =
  'It makes one of ioredis, () => new Redis(process.env.REDIS_URL), or of @redis/client, () => createClient({ url: process.env.REDIS_URL }).';

/** The client that `connection` has made, as BullMQ uses it. Throws a BootError for anything else. */
export function adoptClient(bull: BullMQ, made: unknown): IRedisClient {
  if (!isObject(made)) throw refused('is none');
  const { isCluster, slots, options, defineCommand, sendCommand } = made;
  if (isCluster === true || slots !== undefined)
    throw refused('is one of a Redis Cluster, which is not supported');
  if (isObject(options) && options.keyPrefix)
    throw refused('has a keyPrefix, which BullMQ refuses. Leave it out: queues({ name }) is one');
  if (typeof defineCommand === 'function') {
    // ioredis gives up a command after 20 connections otherwise, and BullMQ refuses a client that does.
    if (isObject(options)) options.maxRetriesPerRequest = null;
    return bull.createIORedisClient(made as Parameters<BullMQ['createIORedisClient']>[0]);
  }
  if (typeof sendCommand === 'function' && 'isReady' in made)
    return bull.createNodeRedisClient(made as Parameters<BullMQ['createNodeRedisClient']>[0]);
  throw refused('is none of a kind that is known');
}

const refused = (what: string): BootError =>
  new BootError({ message: `The client that connection of queues() makes ${what}. ${HINT}`, code: 'FWK830' });

/** Resolves when the client is connected. Rejects with a BootError after `limit` milliseconds, and when it gives up. */
export async function connected(client: IRedisClient, limit: number): Promise<void> {
  let last: unknown = `no answer within ${limit} ms`;
  const note = (thrown: unknown): void => {
    last = thrown;
  };
  // For good: an event `error` that nobody hears is thrown.
  client.on('error', note);
  const ended = new Deferred();
  const ready = new Deferred();
  client.once('ready', () => ready.resolve());
  client.once('end', () => ended.resolve());
  // One that connects when it is first used.
  if (client.status === 'wait') client.connect().catch(note);
  if (client.status === 'ready') return;
  await settledWithin(Promise.race([ready.promise, ended.promise]), limit);
  if (client.status === 'ready') return;
  client.disconnect();
  throw unreachable(last);
}

/** The broker is away when the app starts. */
export const unreachable = (why: unknown): BootError =>
  new BootError({
    message: `The broker of queues() cannot be reached: ${reasonOf(why)}. Start it, or correct what connection of queues() in fwk.config connects to.`,
    code: 'FWK831',
  });

interface SilenceOptions {
  readonly client: IRedisClient;
  /** A key that may be asked for. */
  readonly key: string;
  /** How long the client may hear nothing, in milliseconds; asked for each time. */
  readonly giveUp: () => number;
  /** Called before another connection takes the place of one that is silent. */
  readonly onSilence: (why: string) => void;
  /** Called when that is ready. */
  readonly onRenewed: () => void;
}

/**
 * Has a client connect anew when it hears nothing: a network can swallow all without an end, and clients wait for ever then.
 * BullMQ watches those connections alone that wait for jobs.
 */
export class Silence {
  readonly #options: SilenceOptions;
  #heardAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SilenceOptions) {
    this.#options = options;
    const hear = (): void => {
      this.#heardAt = performance.now();
    };
    // A client that says what is wrong goes on trying by itself.
    for (const event of ['ready', 'error']) options.client.on(event, hear);
    this.#next();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #next(): void {
    this.#timer = setTimeout(() => void this.#look(), this.#options.giveUp() / 2).unref();
  }

  async #look(): Promise<void> {
    const { client, key, giveUp, onSilence, onRenewed } = this.#options;
    const limit = giveUp();
    if (client.status === 'ready') {
      const answer = client.get(key);
      if ((await settledWithin(answer, limit / 2)) && (await isAnswered(answer)))
        this.#heardAt = performance.now();
    }
    if (this.#timer === undefined) return;
    if (performance.now() - this.#heardAt >= limit) {
      onSilence(`nothing was heard for ${limit} ms`);
      this.#heardAt = performance.now();
      client.off('ready', onRenewed);
      client.once('ready', onRenewed);
      client.disconnect(true);
    }
    this.#next();
  }
}

const isAnswered = (answer: Promise<unknown>): Promise<boolean> =>
  answer.then(
    () => true,
    () => false,
  );

const guarded = new WeakSet<object>();

/**
 * The same backends, whose connections may end. BullMQ leaves those that it has taken from the pool of `pg` without a listener, and an
 * event `error` that nobody hears ends the process; whatever was asked of them fails anyway, and BullMQ hears of that.
 */
export const guardedBackend =
  (make: BackendFactory): BackendFactory =>
  (...given) => {
    const backend = make(...given);
    const pool = poolOf(backend);
    // One pool may be that of all queues.
    if (pool && !guarded.has(pool)) {
      guarded.add(pool);
      pool.on('connect', (client: EventEmitter) => client.on('error', () => {}));
    }
    return backend;
  };

function poolOf(backend: object): Pick<EventEmitter, 'on'> | undefined {
  const connection: unknown = Reflect.get(backend, 'connection');
  const pool = isObject(connection) ? connection.pool : undefined;
  return isObject(pool) && typeof pool.on === 'function'
    ? (pool as Pick<EventEmitter, 'on'> & object)
    : undefined;
}

export class Availability {
  /** Where its lines go: to the version that serves. */
  logger: Logger;
  readonly #outage: Outage;
  #refused = 0;

  constructor(logger: Logger) {
    this.logger = logger;
    this.#outage = new Outage({
      what: 'queues: the broker',
      meanwhile: 'jobs wait there until it is back',
      logger: () => this.logger,
    });
  }

  get isAway(): boolean {
    return this.#outage.reason !== undefined;
  }

  /** It does not answer. `why` is what a client says of it, or a sentence. */
  lost(why: unknown): void {
    this.#outage.begin(reasonOf(why));
  }

  back(): void {
    this.#outage.end(() => {
      const refused = this.#refused;
      this.#refused = 0;
      return refused === 0 ? '' : `${refused === 1 ? '1 job' : `${refused} jobs`} could not be added.`;
    });
  }

  refuse(queue: string, why: string, cause?: unknown): Unavailable {
    this.#refused += 1;
    return new Unavailable(`A job for the queue "${queue}" could not be added: ${why}`, { cause });
  }
}

/** What a client says: some of their errors have no message of their own, but a code. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return reasonOf(thrown.errors[0]);
  const { code } = thrown instanceof Error ? (thrown as NodeJS.ErrnoException) : {};
  const message = thrown instanceof Error && thrown.message === '' ? '' : messageOf(thrown);
  if (code === undefined || message.includes(code)) return message || 'no reason was given';
  return message === '' ? code : `${message} (${code})`;
}
