import { option } from '../../kernel/index.js';
import type { TrustProxy } from './request/forwarded.js';
import { DRAIN_LIMIT_MS } from './server/server.js';

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
  drainLimit: option.whole(DRAIN_LIMIT_MS, { unit: 'milliseconds' }),
  /** The most parts, fields and files together, of a multipart form. */
  maxParts: option.whole(1_000, { unit: 'parts' }),
  /** The most files of a multipart form. */
  maxFiles: option.whole(100, { unit: 'files' }),
  /** The longest name of a field of a multipart form, in bytes. */
  maxFieldName: option.whole(200, { unit: 'bytes' }),
  /** Whether `X-Forwarded-*` counts: false, true (every hop is trusted) or how many proxies stand in front. */
  trustProxy: option.custom<TrustProxy>(
    false,
    'true, false or a whole number of proxies',
    (value): value is TrustProxy =>
      typeof value === 'boolean' || (Number.isInteger(value) && Number(value) > 0),
  ),
};
