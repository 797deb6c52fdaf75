import { isAppName } from 'fwkit/peers';
import { coded } from 'fwkit/plugin';
import { linkOf, type RedisClient } from './client.js';
import { channelOf, encode } from './wire.js';

export interface PublisherOptions {
  /** A connected client of `@redis/client` or `ioredis`. The caller has to close it. */
  readonly client: RedisClient;
  /** The name of the app from `redis({ name })` or package.json; in development followed by `.development`. */
  readonly name: string;
}

export interface Publisher {
  /**
   * Send to all members of a room in all processes of the app: strings and bytes unchanged, other values as JSON. Resolves with the number
   * of receiving processes. Rejects with the error of the client, and with TypeError for data that JSON cannot represent.
   */
  publish(room: string, data: unknown): Promise<number>;
}

/** For a program outside of the app: `await publisher({ client, name: 'shop' }).publish('tea', { price: 4 })`. Throws TypeError for invalid arguments. */
export function publisher({ client, name }: PublisherOptions): Publisher {
  const link = linkOf(client);
  if (!link)
    throw coded(
      'FWK813',
      'publisher({ client }) must be a client of @redis/client or ioredis for a single server',
    );
  if (!isAppName(name))
    throw coded('FWK813', 'publisher({ name }) must be the name of the app: letters, digits and @ . / ~ _ -');
  const channel = channelOf(name);
  return {
    async publish(room, data) {
      if (typeof room !== 'string')
        throw coded('FWK813', `The name of a room must be a string, not ${typeof room}`);
      const body = typeof data === 'string' || data instanceof Uint8Array ? data : JSON.stringify(data);
      if (body === undefined)
        throw coded(
          'FWK813',
          `publish() cannot send a value of type ${typeof data}. Send a string, bytes or a JSON value`,
        );
      return Number(await link.command(['PUBLISH', channel, encode('ws.published', { room }, body)]));
    },
  };
}
