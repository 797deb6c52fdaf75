import type { ServerResponse } from 'node:http';
import type { FrontHandler, HttpIo } from '../http/index.js';
import { type HeaderList, headerOf, type httpsCheckOf, nonceOf, readNonceOf } from '../http/internal.js';
import { type CspDirectives, DATA_POLICY, directivesOf, policyText } from './csp.js';

/** Strict-Transport-Security (RFC 6797). */
export interface Hsts {
  /** How long browsers only use HTTPS, in seconds. Default: one year. */
  readonly maxAge?: number;
  /** Whether the policy also applies to all subdomains. Default: false. */
  readonly includeSubDomains?: boolean;
  /** Whether browsers may include the domain in their preload lists. Default: false. */
  readonly preload?: boolean;
}

/** The headers by which a browser protects a page; `false` omits one. */
export interface SecurityHeaders {
  /** The resources that a page may load and run: directives that extend or override the default ones. */
  readonly csp?: CspDirectives | false;
  /** Whether violations are only reported instead of blocked. Default: false. */
  readonly cspReportOnly?: boolean;
  /** The URLs that receive reports, by the name in `report-to`: `{ main: 'https://reports.example/csp' }`. */
  readonly reportingEndpoints?: Readonly<Record<string, string>>;
  readonly hsts?: Hsts | false;
  readonly referrerPolicy?: string | false;
  readonly crossOriginOpenerPolicy?: string | false;
  readonly crossOriginEmbedderPolicy?: string | false;
  readonly crossOriginResourcePolicy?: string | false;
  readonly originAgentCluster?: boolean;
  readonly nosniff?: boolean;
  /** The device features for pages: `{ camera: [], geolocation: ['self', 'https://maps.example'] }`. */
  readonly permissionsPolicy?: Readonly<Record<string, readonly string[]>>;
}

export const YEAR_S = 31_536_000;

/** Whether a media type is not shown as a page: JSON, text, events, or no body. */
const isData = (type: string | undefined): boolean =>
  type === undefined ||
  type === 'application/json' ||
  type.startsWith('text/plain') ||
  type.startsWith('text/event-stream') ||
  type.startsWith('application/json') ||
  /^application\/[\w.-]+\+json/.test(type);

const FRAMES = 'X-Frame-Options';

export class Policy {
  readonly #headers: readonly string[];
  readonly #secureHeaders: readonly string[];
  /** The name of the header with the policy; undefined if there is no policy. */
  readonly #cspName: string | undefined;
  readonly #frames: string | undefined;
  readonly #page;
  readonly #securePage;
  #isHttps: ReturnType<typeof httpsCheckOf> = () => false;

  constructor({ csp, hsts, ...others }: SecurityHeaders) {
    const directives = csp === false ? undefined : directivesOf(csp ?? {});
    this.#cspName = directives && `Content-Security-Policy${others.cspReportOnly ? '-Report-Only' : ''}`;
    this.#frames = frameOptions(directives);
    this.#page = policyText(directives ?? {}, false);
    this.#securePage = policyText(directives ?? {}, true);
    const own: [name: string, value: string | false | undefined][] = [
      ...(this.#cspName ? ([[this.#cspName, DATA_POLICY]] as [string, string][]) : []),
      // Directly after the policy: it marks the policy as fwk's own, and not set by a handler.
      [FRAMES, this.#frames],
      ['X-Content-Type-Options', others.nosniff && 'nosniff'],
      ['Referrer-Policy', others.referrerPolicy],
      ['Cross-Origin-Opener-Policy', others.crossOriginOpenerPolicy],
      ['Cross-Origin-Embedder-Policy', others.crossOriginEmbedderPolicy],
      ['Cross-Origin-Resource-Policy', others.crossOriginResourcePolicy],
      ['Origin-Agent-Cluster', others.originAgentCluster && '?1'],
      ['Permissions-Policy', permissions(others.permissionsPolicy ?? {})],
      ['Reporting-Endpoints', endpoints(others.reportingEndpoints ?? {})],
    ];
    this.#headers = own.flatMap(([name, value]) => (value ? [name, value] : []));
    const strict = hsts === false ? [] : ['Strict-Transport-Security', hstsText(hsts ?? {})];
    this.#secureHeaders = [...this.#headers, ...strict];
  }

  front(isHttps: ReturnType<typeof httpsCheckOf>): FrontHandler {
    this.#isHttps = isHttps;
    const plain = this.#headers;
    const secure = this.#secureHeaders;
    return (raw, res) => {
      res.preset(isHttps(raw) ? secure : plain);
      return false;
    };
  }

  /** Wraps the writing of responses: a page has a different policy than data. */
  io(io: HttpIo): HttpIo {
    if (this.#cspName === undefined) return io;
    return {
      ...io,
      write: (out, status, headers, type, body, length) => {
        if (headers === undefined || isData(type)) this.#forData(headers);
        else this.#forPage(out, headers, readNonceOf(out));
        return io.write(out, status, headers, type, body, length);
      },
      encode: (out, head, source) => {
        // A stream may read its nonce after the head has been sent.
        if (isData(head.type)) this.#forData(head.headers);
        else this.#forPage(out, head.headers, nonceOf(out));
        return io.encode?.(out, head, source);
      },
      writeEmpty: (out, status, headers) => {
        // The cached response has its own policy, perhaps with its page's nonce (RFC 9111 §3.2).
        if (status === 304) this.#drop(headers);
        else this.#forData(headers);
        io.writeEmpty(out, status, headers);
      },
    };
  }

  #forPage(out: ServerResponse, headers: HeaderList, nonce: string | undefined): void {
    const at = this.#ownAt(headers);
    if (at !== -1) headers[at + 1] = (this.#isHttps(out.req) ? this.#securePage : this.#page)(nonce);
  }

  /** A policy without frames also sets the header for browsers without `frame-ancestors`. */
  #forData(headers: HeaderList = []): void {
    const at = this.#ownAt(headers);
    if (at === -1) return;
    if (headers[at + 2] === FRAMES) headers[at + 3] = 'DENY';
    else if (this.#frames === undefined && headerOf(headers, 'x-frame-options') === undefined)
      headers.push(FRAMES, 'DENY');
  }

  #drop(headers: HeaderList = []): void {
    const at = this.#ownAt(headers);
    if (at !== -1) headers.splice(at, headers[at + 2] === FRAMES ? 4 : 2);
  }

  /** The index of the policy in the headers; -1 if the handler has set its own. */
  #ownAt(headers: HeaderList): number {
    for (let at = 0; at < headers.length; at += 2)
      if (headers[at] === this.#cspName) return headers[at + 1] === DATA_POLICY ? at : -1;
    return -1;
  }
}

/** The X-Frame-Options value that is equivalent, for browsers without `frame-ancestors`. */
function frameOptions(directives: CspDirectives | undefined): string | undefined {
  const ancestors = directives ? directives['frame-ancestors'] : ["'self'"];
  if (!Array.isArray(ancestors) || ancestors.length !== 1) return undefined;
  return ancestors[0] === "'none'" ? 'DENY' : ancestors[0] === "'self'" ? 'SAMEORIGIN' : undefined;
}

const permissions = (features: NonNullable<SecurityHeaders['permissionsPolicy']>): string =>
  Object.entries(features)
    .map(([name, allowed]) =>
      allowed.includes('*')
        ? `${name}=*`
        : `${name}=(${allowed.map((one) => (one.includes(':') ? `"${one}"` : one)).join(' ')})`,
    )
    .join(', ');

const endpoints = (urls: Readonly<Record<string, string>>): string =>
  Object.entries(urls)
    .map(([name, url]) => `${name}="${url}"`)
    .join(', ');

const hstsText = ({ maxAge = YEAR_S, includeSubDomains, preload }: Hsts): string =>
  `max-age=${maxAge}${includeSubDomains ? '; includeSubDomains' : ''}${preload ? '; preload' : ''}`;
