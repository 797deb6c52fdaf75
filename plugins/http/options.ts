import { listOf, option } from '../../contributions/index.js';
import type { Option } from '../../kernel/index.js';
import { isNetwork } from './request/forwarded.js';
import type { TrustProxy } from './request/project-settings.js';

/** The default time in milliseconds that a shutdown waits for requests. */
export const DRAIN_LIMIT_MS = 10_000;

/** The most that Node's timers accept: 23 days. */
export const MAX_MS = 2_000_000_000;

const milliseconds = (fallback: number): Option<number> =>
  option.custom(
    fallback,
    `a whole number of milliseconds, from 0 to ${MAX_MS}`,
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_MS,
  );

const isHostName = (name: unknown): name is string => typeof name === 'string' && /^[^\s/:]+$/.test(name);

export const httpOptions = {
  /** The largest body that is read into memory, in bytes. A route's `.meta({ bodyLimit })` takes precedence. */
  bodyLimit: option.integer(1_048_576, { unit: 'bytes' }),
  /**
   * The most bytes of all bodies that a process holds in memory at the same time; then 503. A single body that its route
   * accepts always fits. 0: no limit.
   */
  maxBodyMemory: option.integer(268_435_456, { unit: 'bytes' }),
  /** Whether results of handlers are checked against `response` and `errors`. A route's `.meta({ checkResponse })` takes precedence. */
  checkResponses: option.boolean(true),
  /**
   * Host names that the app answers to in production, `.shop.example` for all subdomains of `shop.example`; other requests get
   * 421. Health checks are always answered. Empty: all names.
   */
  hosts: listOf(
    'a list of host names without ports, such as "shop.example" or ".shop.example"',
    (name) => isHostName(name) && !name.includes('*'),
  ),
  /**
   * Host names that `fwk dev` answers to, in addition to the names of this machine and the `--host` name: `.shop.test` for
   * all subdomains of `shop.test`, `*` for all names.
   */
  devHosts: listOf(
    'a list of host names without ports, such as "shop.test" or ".shop.test", or of "*"',
    isHostName,
  ),
  /** Whether head and body are sent in one write, bypassing Node's own code, on versions of Node that support it. */
  direct: option.boolean(true),
  /** How long a shutdown waits for running requests before it cuts them off, in milliseconds. */
  drainLimit: milliseconds(DRAIN_LIMIT_MS),
  /** Milliseconds that a shutdown keeps accepting while `/readyz` fails, for load balancers that poll it. */
  drainDelay: milliseconds(0),
  /** The longest time to receive the head of a request, in milliseconds; then 408. 0: no limit. */
  headersTimeout: milliseconds(60_000),
  /** The longest time to receive a request including its body, in milliseconds; then 408. 0: no limit. */
  requestTimeout: milliseconds(300_000),
  /**
   * How long an idle connection is kept open, in milliseconds. It must be longer than in the load balancer in front, which
   * otherwise sends requests to a connection that is being closed. Most use 60 s. 0: no limit.
   */
  keepAliveTimeout: milliseconds(72_000),
  /** The longest time until a route's response begins, in milliseconds; then 503. 0: no limit. `.meta({ timeout })` takes precedence. */
  timeout: milliseconds(0),
  /** The longest head of a request, in bytes; then 431. */
  maxHeaderSize: option.integer(16_384, { min: 1_024, unit: 'bytes' }),
  /** The most connections of one process, including WebSockets. Further connections are closed. 0: no limit. */
  maxConnections: option.integer(0, { unit: 'connections' }),
  /** The most requests on one connection, which is closed after the last of them. 0: no limit. */
  maxRequestsPerConnection: option.integer(0, { unit: 'requests' }),
  /** The most parts, fields and files together, of a multipart form. */
  maxParts: option.integer(1_000, { unit: 'parts' }),
  /** The most fields of a form, urlencoded or multipart; then 413. */
  maxFields: option.integer(1_000, { unit: 'fields' }),
  /** The deepest nesting of arrays and objects in a JSON body; then 400. */
  maxJsonDepth: option.integer(100, { min: 1, unit: 'levels' }),
  /** The most keys in a query string; then 400, once the query is read. */
  maxQueryKeys: option.integer(1_000, { unit: 'keys' }),
  /** The most files in a multipart form. */
  maxFiles: option.integer(100, { unit: 'files' }),
  /** The longest field name in a multipart form, in bytes. */
  maxFieldName: option.integer(200, { unit: 'bytes' }),
  /** Whether `error()` is sent as `application/problem+json` (RFC 9457), like the errors of fwk: its body with `status` and `title`. */
  problems: option.boolean(false),
  /** Whether `X-Request-Id` is accepted from clients and sent in every response. */
  requestIds: option.boolean(false),
  /** Whether to trust `X-Forwarded-*`: false, true (every hop), the number of proxies in front, or their addresses. */
  trustProxy: option.custom<TrustProxy>(
    false,
    'true, false, a whole number of proxies, or a list of their addresses and networks such as "10.0.0.0/8"',
    (value): value is TrustProxy =>
      typeof value === 'boolean' ||
      (Number.isInteger(value) && Number(value) > 0) ||
      (Array.isArray(value) && value.every(isNetwork)),
  ),
};
