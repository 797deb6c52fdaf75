import { isAppName } from 'fwkit/peers';
import { coded } from 'fwkit/plugin';
import { linkOf, type RedisClient } from './client.js';
import { channelOf } from './names.js';
import { encode } from './wire.js';

export interface PublisherOptions {
  /** A client of `@redis/client` or `ioredis` that is connected. It stays the caller's. */
  readonly client: RedisClient;
  /** The name of the app, as its `redis({ name })` or package.json has it; of one in development with `.development`. */
  readonly name: string;
}

/** Speaks to the sockets of an app. */
export interface Publisher {
  /**
   * Send to all members of a room, in all processes of the app: text and bytes as they are, all else as JSON. Resolves with how many
   * processes have heard it; rejects with what the client rejects with, and with TypeError for what JSON has not.
   */
  publish(room: string, data: unknown): Promise<number>;
}

/** For a program that is no part of the app: `await publisher({ client, name: 'shop' }).publish('tea', { price: 4 })`. Throws TypeError. */
export function publisher({ client, name }: PublisherOptions): Publisher {
  const link = linkOf(client);
  if (!link)
    throw coded(
      'FWK813',
      'publisher({ client }) takes a client of @redis/client or ioredis, connected to one server',
    );
  if (!isAppName(name))
    throw coded('FWK813', 'publisher({ name }) takes the name of the app: letters, digits and @ . / ~ _ -');
  const channel = channelOf(name);
  return {
    async publish(room, data) {
      if (typeof room !== 'string')
        throw coded('FWK813', `a room is named by a text, not by a ${typeof room}`);
      const body = typeof data === 'string' || data instanceof Uint8Array ? data : JSON.stringify(data);
      if (body === undefined)
        throw coded(
          'FWK813',
          `publish takes text, bytes and what JSON has, not a value of type ${typeof data}`,
        );
      return Number(await link.command(['PUBLISH', channel, encode('ws.published', { room }, body)]));
    },
  };
}
