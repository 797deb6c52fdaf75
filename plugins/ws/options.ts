import { listOf, option } from '../../contributions/index.js';
import { isOrigin } from '../http/internal.js';

export const wsOptions = {
  /** Origins whose pages may connect, besides the server's own: `https://shop.example`; `*` for all. */
  origins: listOf(
    'a list of origins such as "https://shop.example", or of "*"',
    (one) => one === '*' || isOrigin(one),
  ),
  /** Milliseconds between pings; 0: none. A client that does not answer in time is disconnected. */
  heartbeat: option.integer(30_000, { unit: 'milliseconds' }),
  /** Maximum size of a message, in bytes. A larger message closes the connection with code 1009. */
  maxPayload: option.integer(1_048_576, { min: 1, unit: 'bytes' }),
  /** Messages per second that a client may send, and as many at once; more close the connection with code 1008. 0: no limit. */
  messageRate: option.integer(0, { unit: 'messages' }),
  /** Maximum number of bytes that are buffered for a slow client before it is disconnected. */
  backpressureLimit: option.integer(4_194_304, { unit: 'bytes' }),
  /** Maximum number of bytes that wait for slow callbacks before the client is throttled. */
  inboxLimit: option.integer(1_048_576, { unit: 'bytes' }),
  /** Maximum memory for a connection's rooms, in bytes: each name takes its length plus 64. */
  roomsLimit: option.integer(262_144, { unit: 'bytes' }),
  /** Whether messages are compressed (RFC 7692). Compression uses memory for each connection. */
  compress: option.boolean(false),
  /** How long a shutdown waits for callbacks, in milliseconds. */
  drainLimit: option.integer(10_000, { unit: 'milliseconds' }),
};
