import { listOf, oneOf, option } from '../../contributions/index.js';
import type { OptionValues } from '../../kernel/index.js';

/** The options of the plugin, with their defaults. */
export type McpSettings = OptionValues<typeof mcpOptions>;

export const mcpOptions = {
  /** Name of the server. Default: the name in package.json. */
  name: option.custom<string | undefined>(undefined, 'a name', isText),
  /** Display name of the server. */
  title: option.custom<string | undefined>(undefined, 'a title', isText),
  /** Explains to the model how to use the server. */
  instructions: option.custom<string | undefined>(undefined, 'a string', isText),
  /** Host names, besides this machine's own, that requests may use and whose pages may send some. */
  hosts: listOf(
    'a list of host names without ports, such as "shop.example"',
    (name) => typeof name === 'string' && /^[^\s/:]+$|^\[[\da-f:]+\]$/i.test(name),
  ),
  /**
   * Whether clients of the 2025 protocol get sessions. Without sessions, any of several machines
   * can answer any request. With `sticky`, a load balancer sends all requests of a session, by
   * `Mcp-Session-Id`, to the machine that began it.
   */
  sessions: oneOf([true, false, 'sticky'], true),
  /** How long an unused session lasts, in seconds. */
  sessionIdle: option.integer(3_600, { min: 1, unit: 'seconds' }),
  /** Maximum size of a message, in bytes. */
  bodyLimit: option.integer(4_194_304, { unit: 'bytes' }),
  /**
   * Maximum memory for the stored data of one client, in bytes: its description and its
   * subscriptions, including overhead. A client that exceeds it gets an error.
   */
  sessionLimit: option.integer(65_536, { unit: 'bytes' }),
  /**
   * Maximum memory for all sessions together, in bytes. A session takes 8 KiB plus the stored data
   * of its client. When the limit is reached, the least recently used sessions end; if all sessions
   * are in use, the response is 503.
   */
  sessionsLimit: option.integer(67_108_864, { unit: 'bytes' }),
  /** Maximum memory for the messages being received or answered, in bytes; the rest get a 503. */
  pendingLimit: option.integer(67_108_864, { unit: 'bytes' }),
  /** Maximum number of bytes that are buffered for a slow client before it is disconnected. */
  backpressureLimit: option.integer(4_194_304, { unit: 'bytes' }),
  /**
   * Signs the state that stateless clients carry between rounds of questions. Machines that serve
   * the same endpoint must share the secret. Default: the environment variable `MCP_SECRET`, else a
   * key derived from `FWK_SECRET`, else a random secret of this machine.
   */
  secret: option.custom<string | undefined>(
    undefined,
    'a string of at least 32 characters',
    (value): value is string | undefined =>
      value === undefined || (typeof value === 'string' && value.length >= 32),
  ),
};

function isText(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value !== '');
}
