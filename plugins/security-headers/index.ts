import { mistakesInOptions, oneOf, option } from '../../contributions/index.js';
import {
  definePlugin,
  isObject,
  type OptionValues,
  type Plugin,
  type Project,
  Stage,
} from '../../kernel/index.js';
import { addPageValue, isHttpRoute, mapHttpRoutes, wrapIo } from '../http/index.js';
import { httpSettingsOf, httpsCheckOf } from '../http/internal.js';
import { type CspDirectives, cspMistakes } from './csp.js';
import { type Hsts, Policy, type SecurityHeaders, YEAR_S } from './policy.js';

export type { CspDirectives } from './csp.js';
export type { Hsts, SecurityHeaders } from './policy.js';

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** Its security headers, which override the config's `securityHeaders` key by key; `false`: none. */
    readonly securityHeaders?: SecurityHeaders | false;
  }
}

const orFalse = (values: readonly string[], fallback: string | false) =>
  oneOf<string | false>([...values, false], fallback);

export const securityHeadersOptions = {
  /** Whether the headers are sent. Set by `securityHeaders: true`, and by any other option. */
  enabled: option.boolean(false),
  /** `Content-Security-Policy`: directives that extend or override the default ones. `false`: none. */
  csp: option.custom<CspDirectives | false>(
    {},
    'an object of directives such as { "img-src": ["\'self\'"] }, or false',
    (value): value is CspDirectives | false => value === false || isObject(value),
  ),
  /** Whether browsers only report violations of `csp` instead of blocking them. */
  cspReportOnly: option.boolean(false),
  /** `Reporting-Endpoints`: the HTTPS URLs to which browsers send reports, by name. */
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
  /** Whether `Origin-Agent-Cluster` is sent. */
  originAgentCluster: option.boolean(true),
  /** Whether `X-Content-Type-Options: nosniff` is sent. */
  nosniff: option.boolean(true),
  /** `Permissions-Policy`: the origins that may use each feature; an empty list disables the feature. */
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

/** Sends the headers by which browsers protect pages, if `securityHeaders` in the config enables them. */
export function securityHeaders(): Plugin {
  return definePlugin({
    name: 'security-headers',
    needs: ['http'],
    options: securityHeadersOptions,
    apply(hooks, { enabled, ...settings }) {
      const policies = new Policies(settings);
      const sound = new WeakSet<Project>();

      // After all routes have been added.
      hooks.resolve.tapPromise(
        { name: 'security-headers:routes', stage: Stage.check },
        async (routes, project) => {
          let isSound = report(project, 'fwk.config', settings, 'has "securityHeaders", which');
          for (const { file, meta } of routes.filter(isHttpRoute)) {
            const own = meta.securityHeaders;
            if (own === undefined || own === false) continue;
            if (!report(project, file, own, 'has .meta({ securityHeaders }), which')) isSound = false;
          }
          if (!enabled || !isSound) return routes;
          addPageValue(project, 'nonce', (_req, res) => res.nonce, { isText: true });
          sound.add(project);
          return routes;
        },
      );

      hooks.resolve.tapPromise({ name: 'security-headers', stage: Stage.front }, async (routes, project) => {
        if (!sound.has(project)) return routes;
        const isHttps = httpsCheckOf(project);
        return mapHttpRoutes(
          routes,
          'security-headers',
          ({ meta }) => {
            const front = policies.frontOf(meta.securityHeaders, isHttps);
            return front && { front };
          },
          [...Object.values(settings), httpSettingsOf(project).trustProxy],
        );
      });

      hooks.serve.tapPromise('security-headers', async ({ project }) => {
        if (enabled) wrapIo(project, (io, meta) => policies.of(meta.securityHeaders)?.io(io) ?? io);
      });
    },
  });
}

type Settings = Omit<OptionValues<typeof securityHeadersOptions>, 'enabled'>;
type RouteOption = SecurityHeaders | false | undefined;

/** One policy for all routes with the same options. */
class Policies {
  readonly #made = new Map<RouteOption, Policy>();
  readonly #fronts = new Map<Policy, ReturnType<Policy['front']>>();

  constructor(private readonly settings: Settings) {}

  of(own: RouteOption): Policy | undefined {
    if (own === false) return undefined;
    const { csp } = this.settings;
    const merged = isObject(own?.csp) && csp !== false ? { csp: { ...csp, ...own.csp } } : {};
    const policy = this.#made.get(own) ?? new Policy({ ...this.settings, ...own, ...merged });
    this.#made.set(own, policy);
    return policy;
  }

  frontOf(
    own: RouteOption,
    isHttps: Parameters<Policy['front']>[0],
  ): ReturnType<Policy['front']> | undefined {
    const policy = this.of(own);
    if (!policy) return undefined;
    const front = this.#fronts.get(policy) ?? policy.front(isHttps);
    this.#fronts.set(policy, front);
    return front;
  }
}

const { enabled: _, ...ROUTE_OPTIONS } = securityHeadersOptions;

/** Report the mistakes in options. Returns whether there are none. */
function report(project: Project, file: string, options: SecurityHeaders, what: string): boolean {
  const mistakes = mistakesInOptions(options, ROUTE_OPTIONS).map((mistake) => `${mistake}.`);
  if (mistakes.length === 0 && isObject(options.csp))
    mistakes.push(...cspMistakes(options.csp).map((mistake) => `in its csp ${mistake}`));
  for (const mistake of mistakes) project.report(file, `${what} ${mistake}`, 'FWK408');
  return mistakes.length === 0;
}

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
