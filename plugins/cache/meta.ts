import { mistakesInOptions, option } from '../../contributions/index.js';
import type { RuntimeCtx } from '../../scope/index.js';
import type { HttpRoute } from '../http/index.js';
import { HttpRequest } from '../http/internal.js';

/** How the responses of a GET route are cached: `.meta({ cache: { maxAge: 60 } })`. */
export interface CacheMeta {
  /** How long a response is fresh, in seconds. */
  readonly maxAge: number;
  /** How many seconds after that a stale response is sent during a computation (RFC 5861). Default: 0. */
  readonly swr?: number;
  /** Query parameters that are part of the cache key. The handler sees no parameters except these. Default: the whole query string. */
  readonly query?: readonly string[];
  /** Request headers that are part of the cache key. The handler sees no headers except these. */
  readonly vary?: readonly string[];
  /**
   * An additional part of the cache key, besides the URL: `(req, ctx) => ctx.user.id`. With a key,
   * the handler sees the whole request, including its session: requests with the same key must get
   * the same response.
   */
  readonly key?: (req: HttpRequest, ctx: RuntimeCtx) => string;
  /** Tags for `purge`. */
  readonly tags?: readonly string[] | ((req: HttpRequest) => readonly string[]);
  /** `true`: the visitor's own browser is the only cache of the response. Default: `true` with a `key`. */
  readonly private?: boolean;
}

/**
 * The query string that a handler sees whose cache key has only the parameters `names`: in the order of `names`, so that the
 * order in the request makes no difference. Undefined without `names`.
 */
export function searchFor(req: HttpRequest, names: readonly string[] | undefined): string | undefined {
  if (names === undefined) return undefined;
  const given = new URLSearchParams(HttpRequest.search(req));
  const seen = new URLSearchParams();
  for (const name of new Set(names)) for (const value of given.getAll(name)) seen.append(name, value);
  return seen.toString();
}

export const lifetimeOf = ({ maxAge, swr = 0 }: Pick<CacheMeta, 'maxAge' | 'swr'>): number => maxAge + swr;

const isList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const MEMBERS = {
  maxAge: option.custom<number>(-1, 'a whole number of seconds', isSeconds),
  swr: option.custom<number>(0, 'a whole number of seconds', isSeconds),
  query: option.optional('a list of names of query parameters', isList),
  vary: option.optional(
    'a list of names of headers',
    (value) => isList(value) && (value as string[]).every((name) => /^[\w-]+$/.test(name)),
  ),
  key: option.optional('a function (req, ctx) => text', (value) => typeof value === 'function'),
  tags: option.optional(
    'a list of strings, or a function',
    (value) => isList(value) || typeof value === 'function',
  ),
  private: option.optional('true or false', (value) => typeof value === 'boolean'),
};

export function cacheMistake({ method, meta }: HttpRoute): string | undefined {
  if (method !== 'GET')
    return `has .meta({ cache }), which has no effect for ${method}. Remove it, or use GET.`;
  if (meta.sse) return 'has .meta({ cache }), which has no effect for an event stream. Remove it.';
  const [mistake] = mistakesInOptions(meta.cache, MEMBERS);
  return mistake && `has .meta({ cache }), which ${mistake}.`;
}

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** Responses are computed once for many requests. */
    readonly cache?: CacheMeta;
  }
}
