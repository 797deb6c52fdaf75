import {
  definePlugin,
  isObject,
  type OptionValues,
  type Plugin,
  type Project,
  Stage,
} from '../../kernel/index.js';
import { addPageValue, httpsCheckOf, isHttpRoute, mapHttpRoutes, wrapIo } from '../http/index.js';
import { cspMistakes } from './csp.js';
import { type SecurityHeaders, securityHeadersOptions } from './options.js';
import { Policy } from './policy.js';

export { type CspDirectives, type Hsts, type SecurityHeaders, securityHeadersOptions } from './options.js';

// Where it is declared: added to by way of an index, a project's own additions to it are lost (TypeScript 7.0).
declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** Its security headers, key by key in place of the config's `securityHeaders`; `false`: none. */
    readonly securityHeaders?: SecurityHeaders | false;
  }
}

/** Sends the headers that browsers guard pages by, where `securityHeaders` in the config says so. */
export function securityHeaders(): Plugin {
  return definePlugin({
    name: 'security-headers',
    needs: ['http'],
    options: securityHeadersOptions,
    apply(hooks, { enabled, ...settings }) {
      const policies = new Policies(settings);
      /** Projects whose options have no mistakes. */
      const sound = new WeakSet<Project>();

      // When all routes are there.
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
        return mapHttpRoutes(routes, 'security-headers', ({ meta }) => {
          const front = policies.frontOf(meta.securityHeaders, isHttps);
          return front && { front };
        });
      });

      hooks.serve.tapPromise('security-headers', async ({ project }) => {
        if (enabled) wrapIo(project, (io, meta) => policies.of(meta.securityHeaders)?.io(io) ?? io);
      });
    },
  });
}

type Settings = Omit<OptionValues<typeof securityHeadersOptions>, 'enabled'>;
type Own = SecurityHeaders | false | undefined;

/** One policy for all routes that say the same. */
class Policies {
  readonly #settings: Settings;
  readonly #made = new Map<Own, Policy>();
  readonly #fronts = new Map<Policy, ReturnType<Policy['front']>>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  of(own: Own): Policy | undefined {
    if (own === false) return undefined;
    const { csp } = this.#settings;
    const merged = isObject(own?.csp) && csp !== false ? { csp: { ...csp, ...own.csp } } : {};
    const policy = this.#made.get(own) ?? new Policy({ ...this.#settings, ...own, ...merged });
    this.#made.set(own, policy);
    return policy;
  }

  frontOf(own: Own, isHttps: Parameters<Policy['front']>[0]): ReturnType<Policy['front']> | undefined {
    const policy = this.of(own);
    if (!policy) return undefined;
    const front = this.#fronts.get(policy) ?? policy.front(isHttps);
    this.#fronts.set(policy, front);
    return front;
  }
}

/** Report what is wrong with options. Gives whether nothing is. */
function report(project: Project, file: string, options: unknown, what: string): boolean {
  const mistakes: string[] = [];
  if (!isObject(options))
    mistakes.push(`must be an object of options, or false; it is ${JSON.stringify(options)}.`);
  else {
    for (const [key, value] of Object.entries(options)) {
      const known = Object.entries(securityHeadersOptions).find(([name]) => name === key)?.[1];
      if (!known || key === 'enabled')
        mistakes.push(
          `has an unknown key "${key}". There are ${Object.keys(securityHeadersOptions).slice(1).join(', ')}.`,
        );
      else if (value !== undefined && !known.accepts(value))
        mistakes.push(`has "${key}", which must be ${known.expected}; it is ${JSON.stringify(value)}.`);
    }
    const { csp } = options;
    if (isObject(csp) && mistakes.length === 0)
      mistakes.push(
        ...cspMistakes(csp as SecurityHeaders['csp'] & object).map((mistake) => `in its csp ${mistake}`),
      );
  }
  for (const mistake of mistakes) project.report(file, `${what} ${mistake}`, 'FWK408');
  return mistakes.length === 0;
}
