import { type FrontHandler, HttpProblem, type HttpResponse } from '../http/index.js';
import type { CorsOptions } from './options.js';
import { originCheck } from './origins.js';

/** Names of headers with what may be between them: nothing else is sent back. */
const NAMES = /^[\w!#$%&'*+.^`|~,\t -]{1,8192}$/;

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
  const exposed = exposedHeaders.join(', ');
  const allowedMethods = methods.map((method) => method.toUpperCase()).join(', ');
  const allowedNames = allowedHeaders?.join(', ');

  return (raw, res) => {
    const { origin: sent, 'access-control-request-method': asked } = raw.headers;
    const isPreflight = asked !== undefined && sent !== undefined && raw.method === 'OPTIONS';
    // A cache must not give the answer for one origin to another (Fetch Standard §3.3.5), not even that for none.
    if (!isForAll) res.header('Vary', 'Origin');
    if (isPreflight) res.header('Vary', 'Access-Control-Request-Method, Access-Control-Request-Headers');
    if (isForAll) res.header('Access-Control-Allow-Origin', '*');
    else if (sent !== undefined && allows(sent, raw)) {
      res.header('Access-Control-Allow-Origin', sent);
      if (credentials) res.header('Access-Control-Allow-Credentials', 'true');
    } else {
      if (isPreflight) throw new HttpProblem(403, refusal(sent));
      return false;
    }
    if (!isPreflight) {
      if (exposed !== '') res.header('Access-Control-Expose-Headers', exposed);
      return false;
    }
    allow(res, raw.headers['access-control-request-headers']);
    return true;
  };

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
