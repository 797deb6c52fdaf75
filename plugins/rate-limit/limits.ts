import { mistakesInOptions, oneOf, option } from '../../contributions/index.js';
import { isObject, type OptionValues } from '../../kernel/index.js';
import type { RuntimeCtx } from '../../scope/index.js';
import type { HttpRequest, HttpRoute } from '../http/index.js';
import { isAtOrBelow, isPathPrefix } from '../http/internal.js';
import type { Limit, Quota } from './counters.js';

/**
 * Returns a text: requests with the same text are counted together. If it returns undefined, the
 * request is not counted. It runs after the session was found, and before middlewares run and the
 * body is read. An error that it throws is answered like an error of a handler.
 */
export type RateLimitKey = (
  req: HttpRequest,
  ctx: RuntimeCtx,
) => string | undefined | Promise<string | undefined>;

/** How many requests a client may send in a window of time. */
export interface RateLimit {
  /** The maximum number of requests in a window. */
  readonly limit: number;
  /** The window, in seconds. Default: 60. */
  readonly window?: number;
  /**
   * Which requests are counted together: requests of one address (for IPv6, of one /64 network), of
   * one session (or of the address, if the visitor has no session), or with the same text from a
   * function. Default: `'ip'`.
   */
  readonly by?: 'ip' | 'session' | RateLimitKey;
  /**
   * Which requests count: all of them, or only failed ones, which are answered with 4xx. Requests
   * that are still running count until they are answered. Default: `'all'`.
   */
  readonly count?: 'all' | 'failures';
  /**
   * Limits with the same name share their counters, wherever they are declared. Clients see the
   * name in `RateLimit`. The default is derived from the limit, for example `ip-60s`.
   */
  readonly name?: string;
}

/** The default window, in seconds. */
const WINDOW_SECONDS = 60;
/** The maximum window: one day more than the longest month, because counters are stored in memory. */
const MAX_WINDOW_SECONDS = 32 * 86_400;

const isLimit = (value: unknown): boolean =>
  Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 1e9;
const LIMIT = 'a whole number of requests, at least 1';

/** The options of one limit. */
const MEMBERS = {
  limit: option.custom(0, LIMIT, (value): value is number => isLimit(value)),
  window: option.custom<number>(
    WINDOW_SECONDS,
    `a number of seconds, from 0.001 to ${MAX_WINDOW_SECONDS}`,
    (value): value is number => typeof value === 'number' && value >= 0.001 && value <= MAX_WINDOW_SECONDS,
  ),
  by: option.custom<NonNullable<RateLimit['by']>>(
    'ip',
    '"ip", "session" or a function (req, ctx) => text',
    (value): value is NonNullable<RateLimit['by']> =>
      value === 'ip' || value === 'session' || typeof value === 'function',
  ),
  count: oneOf(['all', 'failures'], 'all'),
  name: option.optional<string>(
    'a name of at most 40 letters, digits, "-" and "_" that begins with a letter',
    (value) => typeof value === 'string' && /^[a-z][\w-]{0,39}$/i.test(value),
  ),
} satisfies Readonly<Record<keyof RateLimit, unknown>>;

/** The mistake in a limit, a list of limits, or false, to complete "…, which"; undefined if valid. */
export function mistakeIn(given: unknown): string | undefined {
  if (given === false) return undefined;
  if (Array.isArray(given))
    return given.length === 0
      ? 'is an empty list. Write false, or a limit'
      : given.map(mistakeInOne).find((mistake) => mistake !== undefined);
  return mistakeInOne(given);
}

const mistakeInOne = (given: unknown): string | undefined =>
  isObject(given)
    ? mistakesInOptions(given, MEMBERS)[0]
    : `is ${JSON.stringify(given) ?? String(given)}. Write { limit: 100, window: 60 }, a list of these, or false`;

export const rateLimitOptions = {
  /** The maximum requests in a window, except for static files in `public/`. Default: no limit. */
  limit: option.optional<number>(LIMIT, isLimit),
  /** The window, in seconds. */
  window: MEMBERS.window,
  /** Which requests are counted together: `'ip'`, `'session'`, or a function that returns a text. */
  by: MEMBERS.by,
  /** Which requests count: `failures` are answered with 4xx. */
  count: MEMBERS.count,
  /** Additional limits for all requests, besides `limit`. */
  limits: option.custom<readonly RateLimit[]>(
    [],
    'a list of limits, such as { limit: 1000, window: 3600 }',
    (value): value is readonly RateLimit[] =>
      Array.isArray(value) && value.every((one) => mistakeInOne(one) === undefined),
  ),
  /** Limits below a path, in place of the project's: `{ '/api/login': { limit: 5 }, '/status': false }`. */
  paths: option.custom<Readonly<Record<string, RateLimit | readonly RateLimit[] | false>>>(
    {},
    'an object with a limit, a list of limits or false by path, such as { "/api/login": { limit: 5 } }',
    (value): value is Readonly<Record<string, RateLimit | readonly RateLimit[] | false>> =>
      isObject(value) &&
      Object.entries(value).every(([path, one]) => isPathPrefix(path) && mistakeIn(one) === undefined),
  ),
  /** Whether responses contain the remaining requests, in `RateLimit` and `RateLimit-Policy`. */
  headers: option.boolean(true),
  /** While shared counters are unavailable: `allow` counts in each process, `refuse` answers with 503. */
  onFailure: oneOf(['allow', 'refuse'], 'allow'),
  /** The maximum number of counters in a process. Each takes about 250 bytes. */
  maxKeys: option.integer(100_000, { min: 1_000, unit: 'counters' }),
};

type Settings = OptionValues<typeof rateLimitOptions>;
type RateLimitOption = RateLimit | readonly RateLimit[] | false | undefined;

export interface Policy extends Limit {
  readonly scope: string;
  /** The name that clients see. */
  readonly name: string;
  readonly by: NonNullable<RateLimit['by']>;
  readonly count: NonNullable<RateLimit['count']>;
}

/** The limits of a project. A route's limits win over a path's, the longest first, and the project's. */
export class Policies {
  readonly #base: readonly Policy[];
  /** Sorted by length, longest first. */
  readonly #paths: readonly (readonly [path: string, policies: readonly Policy[]])[];
  readonly #named = new Map<string, Quota>();
  readonly mistakes: { readonly file: string; readonly message: string }[] = [];

  constructor({ limit, window, by, count, limits, paths }: Settings) {
    const first = limit === undefined ? [] : [{ limit, window, by, count }];
    this.#base = this.#policies('', [...first, ...limits]);
    this.#paths = Object.entries(paths)
      .sort(([a], [b]) => b.length - a.length)
      .map(([path, given]) => [path, this.#policies(path, given)]);
  }

  /** Whether requests that match no route may be limited, each by its own path. */
  get isGeneral(): boolean {
    return this.#base.length > 0 || this.#paths.some(([, policies]) => policies.length > 0);
  }

  /** The policies in the metadata of a route. */
  of({ id, file, meta: { rateLimit } }: HttpRoute): readonly Policy[] {
    return this.#policies(id, rateLimit, file);
  }

  at(path: string): readonly Policy[] {
    return this.#paths.find(([one]) => isAtOrBelow(path, one))?.[1] ?? this.#base;
  }

  /** Sorted by window, shortest first: requests that exceed a short window do not count in others. */
  #policies(scope: string, given: RateLimitOption, file = 'fwk.config'): readonly Policy[] {
    const list = given === false || given === undefined ? [] : [given].flat();
    const policies = list
      .map((one) => this.#policy(scope, one, file))
      .sort((a, b) => a.windowMs - b.windowMs);
    const names = policies.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined)
      this.mistakes.push({
        file,
        message: `has two limits called "${twice}"${scope === '' ? '' : `, of ${scope}`}. Remove one of them, or give it a name.`,
      });
    return policies;
  }

  #policy(
    scope: string,
    { limit, window = WINDOW_SECONDS, by = 'ip', count = 'all', name }: RateLimit,
    file: string,
  ): Policy {
    const quota = { limit, windowMs: Math.round(window * 1000) };
    const kind = `${typeof by === 'function' ? 'key' : by}${count === 'failures' ? '-failures' : ''}`;
    if (name === undefined)
      return {
        ...quota,
        by,
        count,
        name: `${kind}-${window}s`,
        scope: `${scope} ${kind} ${limit}/${window}`,
      };
    const known = this.#named.get(name) ?? quota;
    this.#named.set(name, known);
    if (known.limit !== limit || known.windowMs !== quota.windowMs)
      this.mistakes.push({
        file,
        message: `has a limit called "${name}" that differs from another limit with that name: they would share one counter. Rename one of them.`,
      });
    return { ...quota, by, count, name, scope: `"${name}" ${limit}/${window}` };
  }
}
