import { type IncomingMessage, validateHeaderValue } from 'node:http';
import { coded } from '../../kernel/index.js';
import { type FrontHandler, HttpProblem, type HttpResponse } from '../http/index.js';

/**
 * The origins whose pages may send requests: `'https://shop.example'`, `'https://*.shop.example'`
 * for all subdomains, `'http://localhost:*'` for all ports, `'null'` for pages without an origin,
 * or a list of these; `'*'` or `true` for all origins; or a synchronous function of the Origin
 * header.
 */
export type CorsOrigin =
  | true
  | string
  | readonly string[]
  | ((origin: string, raw: IncomingMessage) => boolean);

/** Allowed cross-origin requests, and readable parts of responses (Fetch Standard §3.3, CORS protocol). */
export interface CorsOptions {
  readonly origin?: CorsOrigin;
  /** Whether cross-origin requests may include cookies and other credentials. Default: false. */
  readonly credentials?: boolean;
  /** The allowed methods. Default: GET, HEAD, PUT, PATCH, POST and DELETE. */
  readonly methods?: readonly string[];
  /** The allowed request headers, besides the CORS-safelisted ones. Default: all that a page requests. */
  readonly allowedHeaders?: readonly string[];
  /** The response headers that scripts may read, in addition to the CORS-safelisted ones. Default: none. */
  readonly exposedHeaders?: readonly string[];
  /** How long a browser caches a preflight response, in seconds. Default: 600. */
  readonly maxAge?: number;
}

/** A list of header names. No other text is echoed to a client. */
const NAMES = /^[\w!#$%&'*+.^`|~,\t -]{1,8192}$/;

/** The request headers that the response to a preflight depends on, in addition to Origin. */
const ASKED = ['Vary', 'Access-Control-Request-Method, Access-Control-Request-Headers'];

/** The maximum number of origins whose response headers are cached. */
const MAX_GRANTS = 100;

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
  // One origin's response must not be cached for another (Fetch Standard §3.3.5), or for no origin.
  const vary = isForAll ? [] : ['Vary', 'Origin'];
  /** Response headers by the value of Access-Control-Allow-Origin. */
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

  function grant(allowed: string): readonly string[] {
    const before = grants.get(allowed);
    if (before) return before;
    const headers = [...vary, 'Access-Control-Allow-Origin', allowed];
    if (credentials && !isForAll) headers.push('Access-Control-Allow-Credentials', 'true');
    // Validated once: a project's function may allow any text.
    for (let at = 0; at < headers.length; at += 2)
      validateHeaderValue(headers[at] ?? '', headers[at + 1] ?? '');
    // If all subdomains are allowed, the number of origins is unlimited.
    if (grants.size < MAX_GRANTS) grants.set(allowed, headers);
    return headers;
  }

  function allow(res: HttpResponse, wanted: string | undefined): void {
    const names = allowedNames ?? (wanted !== undefined && NAMES.test(wanted) ? wanted : '');
    if (allowedMethods !== '') res.header('Access-Control-Allow-Methods', allowedMethods);
    if (names !== '') res.header('Access-Control-Allow-Headers', names);
    if (maxAge !== undefined) res.header('Access-Control-Max-Age', maxAge);
    res.status(204).end();
  }
}

const refusal = (origin: string): string =>
  `Pages of ${JSON.stringify(origin.slice(0, 200))} may not send requests to this server. To allow them, add their origin to cors.origin in fwk.config.`;

type AllowsOrigin = (origin: string, raw: IncomingMessage) => boolean;

/** A serialized origin. Browsers send nothing else. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/,]{1,300}$/;

/** The check for an `origin` option, prepared for requests. Compares origins as text (RFC 6454 §5). */
function originCheck(origin: CorsOrigin): AllowsOrigin {
  if (typeof origin === 'function')
    return (sent, raw) => {
      if (sent !== 'null' && !ORIGIN.test(sent)) return false;
      const allowed: unknown = origin(sent, raw);
      if (typeof allowed === 'boolean') return allowed;
      if (allowed instanceof Promise) allowed.catch(() => {});
      throw coded(
        'FWK405',
        'cors.origin returned neither true nor false. It must be synchronous: cache stored origins in memory.',
      );
    };
  if (origin === true) return (sent) => ORIGIN.test(sent);
  const list = [origin].flat();
  const exact = new Set(list.filter((one) => !one.includes('*')));
  const patterns = list.filter((one) => one.includes('*')).map(patternOf);
  if (patterns.length === 0) return (sent) => exact.has(sent);
  return (sent) => exact.has(sent) || (ORIGIN.test(sent) && patterns.some((matches) => matches(sent)));
}

/** `https://*.shop.example`, `http://localhost:*`. A regular expression made from the pattern could be slow. */
function patternOf(pattern: string): (origin: string) => boolean {
  const anyPort = pattern.endsWith(':*');
  const plain = anyPort ? pattern.slice(0, -2) : pattern;
  const star = plain.indexOf('*');
  return (sent) => {
    const origin = anyPort ? sent.replace(/:\d{1,5}$/, '') : sent;
    if (star === -1) return origin === plain;
    const scheme = plain.slice(0, star);
    const below = plain.slice(star + 1);
    return (
      origin.length > scheme.length + below.length &&
      origin.startsWith(scheme) &&
      origin.endsWith(below) &&
      /^[\w.-]+$/.test(origin.slice(scheme.length, -below.length))
    );
  };
}

const ORIGIN_ADVICE = 'An origin is a scheme, a host and an optional port, such as "https://shop.example"';

/** The mistakes in an `origin` option, one sentence each. `what`: the option, such as `has "cors.origin", which`. */
export function originMistakes(origin: CorsOrigin | undefined, what: string): string[] {
  if (origin === undefined || origin === true || typeof origin === 'function') return [];
  return [origin].flat().flatMap((one) => {
    const right = serialized(one);
    if (right === one) return [];
    return [
      `${what} is "${one}". ${right === undefined ? ORIGIN_ADVICE : `Write "${right}", as browsers send it`}.`,
    ];
  });
}

/** An origin or pattern in the form that browsers write (HTML Standard); undefined for any other text. */
function serialized(text: string): string | undefined {
  if (text === '*' || text === 'null') return text;
  const [, scheme = '', below = '', rest = ''] =
    /^([a-z][\w+.-]*:\/\/)(\*\.)?([^*]*?(?::\*)?)$/i.exec(text) ?? [];
  const anyPort = rest.endsWith(':*') ? ':*' : '';
  const plain = scheme + (anyPort ? rest.slice(0, -2) : rest);
  if (rest === '' || !URL.canParse(plain)) return undefined;
  const { origin, protocol, host } = new URL(plain);
  // `URL` returns no origin for the schemes of apps and extensions.
  const written = origin === 'null' ? `${protocol}//${host}` : origin;
  return written.replace('//', `//${below}`) + anyPort;
}

/** The conflicts between options, after the options of config, path and route have been merged. */
export function conflictsIn({ origin, credentials, ...lists }: CorsOptions, where: string): string[] {
  if (origin === undefined)
    return [`${where} allows no origin. Add an origin, such as origin: 'https://shop.example'.`];
  if (!credentials) return [];
  if (origin === true || [origin].flat().includes('*'))
    return [
      `${where} allows credentials for every origin, so a page of any site could act as the visitor who opens it. List the origins, or remove credentials.`,
    ];
  const names = (['methods', 'allowedHeaders', 'exposedHeaders'] as const).filter((key) =>
    lists[key]?.includes('*'),
  );
  return names.map(
    (key) =>
      `${where} has "*" in ${key}, which browsers treat as a literal name if credentials are allowed. List the names.`,
  );
}
