import { validateHeaderValue } from 'node:http';
import { type FrontHandler, HttpProblem, type HttpResponse } from '../http/index.js';
import type { CorsOptions } from './options.js';
import { originCheck } from './origins.js';

/** Names of headers with what may be between them: nothing else is sent back. */
const NAMES = /^[\w!#$%&'*+.^`|~,\t -]{1,8192}$/;

/** What the answer to a preflight depends on, beside the origin. */
const ASKED = ['Vary', 'Access-Control-Request-Method, Access-Control-Request-Headers'];

/** Origins whose headers are kept. */
const MAX_GRANTS = 100;

/** What runs in front of all that these options are for. */
export function corsFront(options: CorsOptions): FrontHandler {
  const {
    origin = [],
    credentials = false,
    methods = [],
    allowedHeaders,
    exposedHeaders = [],
    maxAge,
  } = options;
  const isForAll = [origin].flat().includes('*');
  const allows = originCheck(origin);
  const exposed =
    exposedHeaders.length > 0 ? ['Access-Control-Expose-Headers', exposedHeaders.join(', ')] : [];
  const allowedMethods = methods.map((method) => method.toUpperCase()).join(', ');
  const allowedNames = allowedHeaders?.join(', ');
  // A cache must not give the answer for one origin to another (Fetch Standard §3.3.5), not even that for none.
  const vary = isForAll ? [] : ['Vary', 'Origin'];
  /** By what stands in Access-Control-Allow-Origin. */
  const grants = new Map<string, readonly string[]>();

  return (raw, res) => {
    const { origin: sent, 'access-control-request-method': asked } = raw.headers;
    const isPreflight = asked !== undefined && sent !== undefined && raw.method === 'OPTIONS';
    if (!isForAll && (sent === undefined || !allows(sent, raw))) {
      res.preset(vary);
      if (!isPreflight) return false;
      res.preset(ASKED);
      throw new HttpProblem(403, refusal(sent));
    }
    res.preset(grant(isForAll ? '*' : (sent ?? '')));
    if (!isPreflight) {
      res.preset(exposed);
      return false;
    }
    res.preset(ASKED);
    allow(res, raw.headers['access-control-request-headers']);
    return true;
  };

  /** The headers that let pages of an origin read answers. */
  function grant(allowed: string): readonly string[] {
    const before = grants.get(allowed);
    if (before) return before;
    const headers = [...vary, 'Access-Control-Allow-Origin', allowed];
    if (credentials && !isForAll) headers.push('Access-Control-Allow-Credentials', 'true');
    // Checked once: a function may let any text pass.
    for (let at = 0; at < headers.length; at += 2)
      validateHeaderValue(headers[at] ?? '', headers[at + 1] ?? '');
    // Where all names below a domain may ask, there is no end of origins.
    if (grants.size < MAX_GRANTS) grants.set(allowed, headers);
    return headers;
  }

  /** Answer a preflight. */
  function allow(res: HttpResponse, wanted: string | undefined): void {
    const names = allowedNames ?? (wanted !== undefined && NAMES.test(wanted) ? wanted : '');
    if (allowedMethods !== '') res.header('Access-Control-Allow-Methods', allowedMethods);
    if (names !== '') res.header('Access-Control-Allow-Headers', names);
    if (maxAge !== undefined) res.header('Access-Control-Max-Age', maxAge);
    res.status(204).end();
  }
}

const refusal = (origin: string): string =>
  `Pages of ${JSON.stringify(origin.slice(0, 200))} may not ask here. If they may, add their origin to cors.origin in fwk.config.`;
