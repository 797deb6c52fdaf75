import { option } from '../../contributions/index.js';

const isOrigin = (value: unknown): boolean =>
  value === '*' || (typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value);

export const wsOptions = {
  /** Further origins, beside the server's own, whose pages may connect: `https://shop.example`; `*` for all of them. */
  origins: option.custom<readonly string[]>(
    [],
    'a list of origins such as "https://shop.example", or of "*"',
    (value): value is readonly string[] => Array.isArray(value) && value.every(isOrigin),
  ),
  /** How often a ping is sent, in milliseconds; a client that does not answer before the next one is disconnected. 0: never. */
  heartbeat: option.whole(30_000, { unit: 'milliseconds' }),
  /** The largest message that is accepted, in bytes. A larger one closes the connection with 1009. */
  maxPayload: option.whole(1_048_576, { min: 1, unit: 'bytes' }),
  /** Bytes that may wait for a client that reads slowly before it is disconnected. */
  backpressureLimit: option.whole(4_194_304, { unit: 'bytes' }),
  /** Bytes that may wait for slow callbacks before a client is throttled. */
  inboxLimit: option.whole(1_048_576, { unit: 'bytes' }),
  /** Memory for the names of the rooms that one connection is in. Each takes its length and 64 bytes. */
  roomsLimit: option.whole(262_144, { unit: 'bytes' }),
  /** Whether messages are compressed (RFC 7692). It costs memory for each connection. */
  compress: option.boolean(false),
  /** How long a shutdown waits for callbacks to end, in milliseconds. */
  drainLimit: option.whole(10_000, { unit: 'milliseconds' }),
};
