import { option } from '../../contributions/index.js';
import type { Option } from '../../kernel/index.js';
import type { TrustProxy } from './request/forwarded.js';

/** Milliseconds for which a shutdown waits, unless the config says otherwise. */
export const DRAIN_LIMIT_MS = 10_000;

/** Node's timers take no more: 23 days. */
export const MAX_MS = 2_000_000_000;

const milliseconds = (fallback: number): Option<number> =>
  option.custom(
    fallback,
    `a whole number of milliseconds, from 0 to ${MAX_MS}`,
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_MS,
  );

export const httpOptions = {
  /** The largest body that is read into memory, in bytes; a route's `.meta({ bodyLimit })` wins. */
  bodyLimit: option.whole(1_048_576, { unit: 'bytes' }),
  /** Whether what handlers return is checked by `response` and `errors`; a route's `.meta({ checkResponse })` wins. */
  checkResponses: option.boolean(true),
  /**
   * Names, beside this machine's own and the one given with `--host`, under which `fwk dev` may be asked: `.shop.test` for
   * all names below it, `*` for all there are.
   */
  devHosts: option.custom<readonly string[]>(
    [],
    'a list of host names without ports, such as "shop.test" or ".shop.test", or of "*"',
    (value): value is readonly string[] =>
      Array.isArray(value) && value.every((name) => typeof name === 'string' && /^[^\s/:]+$/.test(name)),
  ),
  /** Whether head and body go out in one write, past Node's own code, where this version of Node is known to allow it. */
  direct: option.boolean(true),
  /** How long a shutdown waits for requests to end before it cuts them off, in milliseconds. */
  drainLimit: milliseconds(DRAIN_LIMIT_MS),
  /**
   * How long a shutdown goes on accepting connections after `/readyz` says no, in milliseconds: for balancers that ask for
   * that. Not in development.
   */
  drainDelay: milliseconds(0),
  /** How long the head of a request may take to come, in milliseconds; 408 follows. 0: for ever. */
  headersTimeout: milliseconds(60_000),
  /** How long a request may take to come, body included, in milliseconds; 408 follows. 0: for ever. */
  requestTimeout: milliseconds(300_000),
  /**
   * How long a connection is kept for a next request, in milliseconds: longer than the balancer in front keeps it, or that
   * sends requests to a connection that is being closed. Most keep it for 60 s. 0: for ever.
   */
  keepAliveTimeout: milliseconds(72_000),
  /** How long a route may take until its response begins, in milliseconds; 503 follows. 0: any time. `.meta({ timeout })` wins. */
  timeout: milliseconds(0),
  /** The longest head of a request, in bytes; 431 follows. */
  maxHeaderSize: option.whole(16_384, { min: 1_024, unit: 'bytes' }),
  /** The most connections of one process, sockets included; those that come then are closed. 0: no limit. */
  maxConnections: option.whole(0, { unit: 'connections' }),
  /** The most requests on one connection, which is closed with the last of them. 0: no limit. */
  maxRequestsPerConnection: option.whole(0, { unit: 'requests' }),
  /** The most parts, fields and files together, of a multipart form. */
  maxParts: option.whole(1_000, { unit: 'parts' }),
  /** The most fields of a form, urlencoded or multipart; 413 follows. */
  maxFields: option.whole(1_000, { unit: 'fields' }),
  /** The most levels of lists and objects in a JSON body; 400 follows. */
  maxJsonDepth: option.whole(100, { min: 1, unit: 'levels' }),
  /** The most keys of a query string; 400 follows where it is read. */
  maxQueryKeys: option.whole(1_000, { unit: 'keys' }),
  /** The most files of a multipart form. */
  maxFiles: option.whole(100, { unit: 'files' }),
  /** The longest name of a field of a multipart form, in bytes. */
  maxFieldName: option.whole(200, { unit: 'bytes' }),
  /** Whether `X-Request-Id` is taken from clients, and given in every response. */
  requestIds: option.boolean(false),
  /** Whether `X-Forwarded-*` counts: false, true (every hop is trusted) or how many proxies stand in front. */
  trustProxy: option.custom<TrustProxy>(
    false,
    'true, false or a whole number of proxies',
    (value): value is TrustProxy =>
      typeof value === 'boolean' || (Number.isInteger(value) && Number(value) > 0),
  ),
};
