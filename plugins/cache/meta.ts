import type { RuntimeCtx } from '../../scope/index.js';
import type { HttpRequest, HttpRoute } from '../http/index.js';

/** How the responses of a GET route are cached: `.meta({ cache: { maxAge: 60 } })`. */
export interface CacheMeta {
  /** How long a response is fresh, in seconds. */
  readonly maxAge: number;
  /** How many seconds after that a stale response is sent during a computation (RFC 5861). Default: 0. */
  readonly swr?: number;
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

export const lifetimeOf = ({ maxAge, swr = 0 }: Pick<CacheMeta, 'maxAge' | 'swr'>): number => maxAge + swr;

const KNOWN = ['maxAge', 'swr', 'vary', 'key', 'tags', 'private'];

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

export function cacheMistake({ method, meta }: HttpRoute): string | undefined {
  const given: unknown = meta.cache;
  if (given === undefined) return undefined;
  if (typeof given !== 'object' || given === null)
    return 'has a .meta({ cache }) that is not an object. Make it { maxAge: 60 }, or leave it out.';
  if (method !== 'GET')
    return `has .meta({ cache }), which has no effect for ${method}. Remove it, or use GET.`;
  if (meta.sse) return 'has .meta({ cache }), which has no effect for an event stream. Remove it.';
  const { maxAge, swr, vary, key, tags, private: own }: Partial<Record<keyof CacheMeta, unknown>> = given;
  const wrong = (name: string, expected: string) =>
    `has .meta({ cache: { ${name} } }) that is not ${expected}. Correct it.`;
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined)
    return `has .meta({ cache: { ${unknown} } }), which is not an option. The options are ${KNOWN.join(', ')}.`;
  if (!isSeconds(maxAge)) return wrong('maxAge', 'a whole number of seconds');
  if (swr !== undefined && !isSeconds(swr)) return wrong('swr', 'a whole number of seconds');
  if (vary !== undefined && !(isList(vary) && vary.every((name) => /^[\w-]+$/.test(name))))
    return wrong('vary', 'a list of names of headers');
  if (key !== undefined && typeof key !== 'function') return wrong('key', 'a function (req, ctx) => text');
  if (tags !== undefined && !isList(tags) && typeof tags !== 'function')
    return wrong('tags', 'a list of texts, or a function');
  if (own !== undefined && typeof own !== 'boolean') return wrong('private', 'true or false');
  return undefined;
}

declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** Responses are computed once for many requests. */
    readonly cache?: CacheMeta;
  }
}
