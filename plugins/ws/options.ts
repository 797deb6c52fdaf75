import { option } from '../../kernel/index.js';

const isOrigin = (value: unknown): boolean =>
  value === '*' || (typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value);

export const wsOptions = {
  /** Origins beside the server's own whose pages may connect: `https://shop.example`; `*` for all of them. */
  origins: option.custom<readonly string[]>(
    [],
    'a list of origins such as "https://shop.example", or of "*"',
    (value): value is readonly string[] => Array.isArray(value) && value.every(isOrigin),
  ),
  /** How often a sign of life is asked for; a client that gives none until the next time is cut off. 0: never. */
  heartbeat: option.whole(30_000, { unit: 'milliseconds' }),
  /** The largest message that is taken. A larger one closes the connection with 1009. */
  maxPayload: option.whole(1_048_576, { min: 1, unit: 'bytes' }),
  /** How much may wait for a client that reads slowly before it is cut off. */
  backpressureLimit: option.whole(4_194_304, { unit: 'bytes' }),
  /** How much may wait for callbacks that are slower than the client before the client is read no further. */
  inboxLimit: option.whole(1_048_576, { unit: 'bytes' }),
  /** How long the names of the rooms that one connection is in may be together, each counted with 64 bytes more. */
  roomsLimit: option.whole(262_144, { unit: 'bytes' }),
  /** Whether messages are compressed (RFC 7692). It costs memory for each connection. */
  compress: option.boolean(false),
  /** How long a shutdown waits for callbacks to be done. */
  drainLimit: option.whole(10_000, { unit: 'milliseconds' }),
};
