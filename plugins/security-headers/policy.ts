import type { ServerResponse } from 'node:http';
import type { FrontHandler, Io } from '../http/index.js';
import { type HeaderList, headerOf, type httpsCheckOf, nonceOf, readNonceOf } from '../http/internal.js';
import { type CspDirectives, DATA_POLICY, directivesOf, policyText } from './csp.js';

/** Strict-Transport-Security (RFC 6797). */
export interface Hsts {
  /** Seconds for which browsers ask over https only. Default: a year. */
  readonly maxAge?: number;
  /** Whether all names below this one are meant as well. Default: false. */
  readonly includeSubDomains?: boolean;
  /** Whether browsers may have it built in. Default: false. */
  readonly preload?: boolean;
}

/** The headers that a browser guards a page by; `false` leaves one out. */
export interface SecurityHeaders {
  /** What a page may load and run: directives beside, or in place of, the default ones. */
  readonly csp?: CspDirectives | false;
  /** Whether the policy is reported only, and nothing kept from loading. Default: false. */
  readonly cspReportOnly?: boolean;
  /** Where reports go, by the name that `report-to` has: `{ main: 'https://reports.example/csp' }`. */
  readonly reportingEndpoints?: Readonly<Record<string, string>>;
  readonly hsts?: Hsts | false;
  readonly referrerPolicy?: string | false;
  readonly crossOriginOpenerPolicy?: string | false;
  readonly crossOriginEmbedderPolicy?: string | false;
  readonly crossOriginResourcePolicy?: string | false;
  readonly originAgentCluster?: boolean;
  readonly nosniff?: boolean;
  /** What pages may use of the device: `{ camera: [], geolocation: ['self', 'https://maps.example'] }`. */
  readonly permissionsPolicy?: Readonly<Record<string, readonly string[]>>;
}

export const YEAR_S = 31_536_000;

/** What is not shown as a page: JSON, text, events, or nothing. */
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
  /** The name of the header with the policy; undefined where there is none. */
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
      // Right behind the policy: there it is this one, and not one that a handler has set.
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

  /** How their responses are written: a page has another policy than data. */
  io(io: Io): Io {
    if (this.#cspName === undefined) return io;
    return {
      ...io,
      write: (out, status, headers, type, body, length) => {
        if (headers === undefined || isData(type)) this.#forData(headers);
        else this.#forPage(out, headers, readNonceOf(out));
        return io.write(out, status, headers, type, body, length);
      },
      encode: (out, head, source) => {
        // What is streamed may read its nonce after the head has gone.
        if (isData(head.type)) this.#forData(head.headers);
        else this.#forPage(out, head.headers, nonceOf(out));
        return io.encode?.(out, head, source);
      },
      writeEmpty: (out, status, headers) => {
        // What the browser has kept has its own, perhaps with a nonce that is in it (RFC 9111 §3.2).
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

  /** What allows no frame at all says so to browsers that know no `frame-ancestors`, too. */
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

  /** Where the policy is among the headers; -1 where what answered has set one itself. */
  #ownAt(headers: HeaderList): number {
    for (let at = 0; at < headers.length; at += 2)
      if (headers[at] === this.#cspName) return headers[at + 1] === DATA_POLICY ? at : -1;
    return -1;
  }
}

/** For browsers that know no `frame-ancestors`: it says no more than that. */
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
