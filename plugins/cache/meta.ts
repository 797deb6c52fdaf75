import type { RuntimeCtx } from '../../scope/index.js';
import type { HttpRequest, HttpRoute } from '../http/index.js';

/** How the responses of a GET route are cached: `.meta({ cache: { maxAge: 60 } })`. */
export interface CacheMeta {
  /** Seconds for which a response is fresh. */
  readonly maxAge: number;
  /** Seconds after that for which it is sent while another is computed (RFC 5861). Default: 0. */
  readonly swr?: number;
  /** Request headers that the handler may read, and that a response belongs to. Others it does not see. */
  readonly vary?: readonly string[];
  /**
   * Whom or what a response belongs to, beside its URL: `(req, ctx) => ctx.user.id`. With it the handler sees the whole request, its
   * session too: two requests with one key must not see different things.
   */
  readonly key?: (req: HttpRequest, ctx: RuntimeCtx) => string;
  /** Names to `purge` it by. */
  readonly tags?: readonly string[] | ((req: HttpRequest) => readonly string[]);
  /** `true`: only the visitor's own browser keeps it, no cache on the way. Default: `true` with a `key`. */
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
    return `has .meta({ cache }), which means nothing for ${method}. Leave it out, or make it a GET.`;
  if (meta.sse) return 'has .meta({ cache }), which means nothing for a stream of events. Leave it out.';
  const { maxAge, swr, vary, key, tags, private: own }: Partial<Record<keyof CacheMeta, unknown>> = given;
  const wrong = (name: string, expected: string) =>
    `has .meta({ cache: { ${name} } }) that is not ${expected}. Correct it.`;
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined)
    return `has .meta({ cache: { ${unknown} } }), which there is not. There are ${KNOWN.join(', ')}.`;
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

// Where it is declared: added to by way of an index, a project's own additions to it are lost (TypeScript 7.0).
declare module '../http/request/route-info.js' {
  interface RouteMeta {
    /** Its responses are computed once for many requests. */
    readonly cache?: CacheMeta;
  }
}
