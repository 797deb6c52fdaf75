import { listOf, mistakesInOptions, option } from '../../contributions/index.js';
import { definePlugin, type OptionValues, type Plugin, type Project, Stage } from '../../kernel/index.js';
import { type FrontHandler, type HttpRoute, isHttpRoute, mapHttpRoutes } from '../http/index.js';
import { decoded, isAtOrBelow, isPathPrefix } from '../http/internal.js';
import { type CorsOptions, type CorsOrigin, conflictsIn, corsFront, originMistakes } from './policy.js';

export type { CorsOptions, CorsOrigin } from './policy.js';

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** The CORS options of this route override the config's, key by key; `false`: no cross-origin access. */
    readonly cors?: CorsOptions | false;
  }
}

/** Names of headers or methods (RFC 9110 §5.6.2). */
const isToken = (value: unknown): boolean => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value);

export const corsOptions = {
  /** The origins whose pages may send requests. Default: only the server's own. */
  origin: option.optional<CorsOrigin>(
    'an origin such as "https://shop.example", a list of them, "*", true or a function. Not a regular expression: use "https://*.shop.example" for all subdomains',
    (value) =>
      value === true ||
      typeof value === 'function' ||
      (!(value instanceof RegExp) && [value].flat().every((one) => typeof one === 'string')),
  ),
  /** Whether requests may include cookies. */
  credentials: option.boolean(false),
  /** The methods that pages of other origins may use. */
  methods: listOf('a list of methods such as "GET"', isToken, [
    'GET',
    'HEAD',
    'PUT',
    'PATCH',
    'POST',
    'DELETE',
  ]),
  /** Names of the request headers that pages of other origins may send. Default: all that they request. */
  allowedHeaders: option.optional<readonly string[]>(
    'a list of names of headers',
    (value) => Array.isArray(value) && value.every(isToken),
  ),
  /** The names of the response headers that scripts of other origins may read. */
  exposedHeaders: listOf('a list of names of headers', isToken),
  /** How long a browser caches a preflight response, in seconds. */
  maxAge: option.integer(600, { unit: 'seconds' }),
  /** Options for paths, which override these key by key: `{ '/api/open': { origin: '*' }, '/x': false }`. */
  paths: option.custom<Readonly<Record<string, CorsOptions | false>>>(
    {},
    'an object of options, or false, by path',
    (value): value is Readonly<Record<string, CorsOptions | false>> =>
      typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
};

/** Allows requests from pages of other origins, as configured in the config or a route (CORS). */
export function cors(): Plugin {
  return definePlugin({
    name: 'cors',
    needs: ['http'],
    options: corsOptions,
    apply(hooks, settings) {
      const policies = new Policies(settings);
      /** Projects that allow any cross-origin requests. */
      const allowing = new WeakSet<Project>();
      hooks.resolve.tapPromise('cors:config', async (routes, project) => {
        for (const mistake of policies.mistakes()) project.report('fwk.config', mistake, 'FWK405');
        return routes;
      });

      hooks.resolve.tapPromise({ name: 'cors:routes', stage: Stage.check }, async (routes, project) => {
        const own = routes.filter(isHttpRoute).filter(({ meta }) => meta.cors !== undefined);
        const mistakes = own.map((route) => ({ file: route.file, sentences: policies.routeMistakes(route) }));
        for (const { file, sentences } of mistakes)
          for (const sentence of sentences) project.report(file, sentence, 'FWK405');
        const isSound =
          mistakes.every(({ sentences }) => sentences.length === 0) && policies.mistakes().length === 0;
        if (isSound && (policies.isConfigured || own.length > 0)) allowing.add(project);
        return routes;
      });

      hooks.resolve.tapPromise({ name: 'cors', stage: Stage.front }, async (routes, project) => {
        if (!allowing.has(project)) return routes;
        const others = policies.frontOfOthers();
        return mapHttpRoutes(
          routes,
          'cors',
          (route) => {
            const front = route.kind === 'none' ? others : policies.frontOf(route);
            return front && { front };
          },
          Object.values(settings),
        );
      });
    },
  });
}

const { paths: _, ...ROUTE_OPTIONS } = corsOptions;

/** The mistakes in the options of a path or a route, one sentence each. */
function mistakesInRoute(options: CorsOptions, what: string): string[] {
  const found = mistakesInOptions(options, ROUTE_OPTIONS).map((mistake) => `${what}, which ${mistake}.`);
  return found.length > 0 ? found : originMistakes(options.origin, `${what}, where origin`);
}

type Settings = OptionValues<typeof corsOptions>;

/** Conventions that check the Origin header themselves: `mcp.hosts`, `ws.origins`. */
const OWN_CHECK: ReadonlySet<string> = new Set(['mcp', 'ws']);

class Policies {
  readonly #base: CorsOptions;
  /** Sorted by length, longest first: the most specific path wins. */
  readonly #paths: readonly (readonly [path: string, options: CorsOptions | false])[];
  readonly #fronts = new Map<unknown, FrontHandler | undefined>();

  constructor({ paths, ...base }: Settings) {
    const { origin, allowedHeaders, ...rest } = base;
    this.#base = {
      ...rest,
      ...(origin === undefined ? {} : { origin }),
      ...(allowedHeaders ? { allowedHeaders } : {}),
    };
    this.#paths = Object.entries(paths).sort(([a], [b]) => b.length - a.length);
  }

  get isConfigured(): boolean {
    return this.#base.origin !== undefined || this.#paths.length > 0;
  }

  mistakes(): string[] {
    const { origin, credentials } = this.#base;
    const own = originMistakes(origin, 'has "cors.origin", which');
    if (
      own.length === 0 &&
      (origin !== undefined || credentials) &&
      (origin !== undefined || this.#paths.length === 0)
    )
      own.push(...conflictsIn(this.#base, 'has "cors", which'));
    return [...own, ...this.#paths.flatMap(([path, options]) => this.#pathMistakes(path, options))];
  }

  #pathMistakes(path: string, options: CorsOptions | false): string[] {
    const name = `has "cors.paths" for ${JSON.stringify(path)}`;
    const mistakes = isPathPrefix(path)
      ? []
      : [`${name}. Write a path that begins with "/" and does not end with one: "/api/public".`];
    if (options === false) return mistakes;
    const own = mistakesInRoute(options, name);
    if (own.length === 0) own.push(...conflictsIn({ ...this.#base, ...options }, `${name}, which`));
    return [...mistakes, ...own];
  }

  routeMistakes({ path, meta: { cors } }: HttpRoute): string[] {
    if (cors === undefined || cors === false) return [];
    const own = mistakesInRoute(cors, 'has .meta({ cors })');
    if (own.length > 0) return own;
    return conflictsIn({ ...this.#base, ...this.#at(path), ...cors }, 'has .meta({ cors }), which');
  }

  frontOf({ kind, path, meta: { cors } }: HttpRoute): FrontHandler | undefined {
    if (OWN_CHECK.has(kind) || cors === false) return undefined;
    const below = this.#at(path);
    return cors === undefined ? this.#front(below) : corsFront({ ...this.#base, ...below, ...cors });
  }

  /** The function that runs in front of requests that match no route. It uses the options of their path. */
  frontOfOthers(): FrontHandler | undefined {
    if (this.#paths.length === 0) return this.#front(undefined);
    return (raw, res) => this.#front(this.#at(decoded(raw.url?.split('?', 1)[0] ?? '/')))?.(raw, res);
  }

  #front(below: CorsOptions | false | undefined): FrontHandler | undefined {
    if (this.#fronts.has(below)) return this.#fronts.get(below);
    const options = { ...this.#base, ...below };
    const front = below === false || options.origin === undefined ? undefined : corsFront(options);
    this.#fronts.set(below, front);
    return front;
  }

  #at(path: string): CorsOptions | false | undefined {
    return this.#paths.find(([one]) => isAtOrBelow(path, one))?.[1];
  }
}
