import type { IRedisClient } from 'bullmq';
import { settledWithin } from 'fwkit/http';
import { BootError, Deferred, isObject } from 'fwkit/plugin';
import { reasonOf } from './availability.js';
import type { BullMQ } from './broker.js';

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
