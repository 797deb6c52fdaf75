import { isObject, option } from '../../kernel/index.js';

/** Directives of a Content-Security-Policy by name: a list of sources, `true` for one without, `false` to leave it out. */
export type CspDirectives = Readonly<Record<string, readonly string[] | boolean>>;

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

const orFalse = (values: readonly string[], fallback: string | false) =>
  option.custom<string | false>(
    fallback,
    `${values.map((value) => `"${value}"`).join(', ')} or false`,
    (value): value is string | false => value === false || values.includes(String(value)),
  );

export const securityHeadersOptions = {
  /** Whether there are any. Set by `securityHeaders: true`, and by any of the others. */
  enabled: option.boolean(false),
  /** `Content-Security-Policy`: directives beside, or in the place of, its own. `false`: none. */
  csp: option.custom<CspDirectives | false>(
    {},
    'an object of directives such as { "img-src": ["\'self\'"] }, or false',
    (value): value is CspDirectives | false => value === false || isObject(value),
  ),
  /** Whether browsers only report what `csp` would refuse. */
  cspReportOnly: option.boolean(false),
  /** `Reporting-Endpoints`: https URLs to which browsers report, by name. */
  reportingEndpoints: option.custom<Readonly<Record<string, string>>>(
    {},
    'an object of https URLs by name',
    (value): value is Readonly<Record<string, string>> =>
      isObject(value) &&
      Object.entries(value).every(([name, url]) => /^[a-z][\w.-]*$/.test(name) && isUrl(url)),
  ),
  /** `Strict-Transport-Security`, with `maxAge` in seconds. `false`: none. */
  hsts: option.custom<Hsts | false>(
    {},
    'an object with maxAge in seconds, includeSubDomains and preload, or false; preload needs a year and includeSubDomains',
    (value): value is Hsts | false => value === false || isHsts(value),
  ),
  /** `Referrer-Policy`. `false`: none. */
  // Not `no-referrer`: browsers send `Origin: null` with the forms of such a page.
  referrerPolicy: orFalse(
    [
      'strict-origin-when-cross-origin',
      'same-origin',
      'strict-origin',
      'origin',
      'origin-when-cross-origin',
      'no-referrer',
      'no-referrer-when-downgrade',
      'unsafe-url',
    ],
    'strict-origin-when-cross-origin',
  ),
  /** `Cross-Origin-Opener-Policy`. `false`: none. */
  crossOriginOpenerPolicy: orFalse(
    ['same-origin', 'same-origin-allow-popups', 'noopener-allow-popups', 'unsafe-none'],
    'same-origin',
  ),
  /** `Cross-Origin-Embedder-Policy`. `false`: none. */
  crossOriginEmbedderPolicy: orFalse(['require-corp', 'credentialless', 'unsafe-none'], false),
  /** `Cross-Origin-Resource-Policy`. `false`: none. */
  crossOriginResourcePolicy: orFalse(['same-origin', 'same-site', 'cross-origin'], 'same-origin'),
  /** Whether there is `Origin-Agent-Cluster`. */
  originAgentCluster: option.boolean(true),
  /** Whether there is `X-Content-Type-Options: nosniff`. */
  nosniff: option.boolean(true),
  /** `Permissions-Policy`: who may use a feature, by its name; nobody where the list is empty. */
  permissionsPolicy: option.custom<Readonly<Record<string, readonly string[]>>>(
    {},
    'an object of lists by feature, such as { camera: [], geolocation: ["self", "https://maps.example"] }',
    (value): value is Readonly<Record<string, readonly string[]>> =>
      isObject(value) &&
      Object.entries(value).every(
        ([feature, allowed]) =>
          /^[a-z][a-z-]*$/.test(feature) &&
          Array.isArray(allowed) &&
          allowed.every((one) => one === '*' || one === 'self' || one === 'src' || isOriginText(one)),
      ),
  ),
};

const YEAR_S = 31_536_000;

function isHsts(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { maxAge = YEAR_S, includeSubDomains = false, preload = false, ...more } = value;
  return (
    Object.keys(more).length === 0 &&
    Number.isSafeInteger(maxAge) &&
    Number(maxAge) >= 0 &&
    typeof includeSubDomains === 'boolean' &&
    typeof preload === 'boolean' &&
    (!preload || (includeSubDomains && Number(maxAge) >= YEAR_S))
  );
}

const isUrl = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && /^https:\/\/[^\s"\\]+$/.test(value);
const isOriginText = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:\/\/[\w.*:-]+$/.test(value);

/** The value of Strict-Transport-Security. */
export const hstsText = ({ maxAge = YEAR_S, includeSubDomains, preload }: Hsts): string =>
  `max-age=${maxAge}${includeSubDomains ? '; includeSubDomains' : ''}${preload ? '; preload' : ''}`;
