import type { OptionValues } from '../../kernel/index.js';
import type { HttpRoute } from '../http/index.js';
import type { Limit } from './counters.js';
import { type RateLimit, type rateLimitOptions, WINDOW_SECONDS } from './options.js';
import type { Quota } from './sliding-window.js';

type Settings = OptionValues<typeof rateLimitOptions>;
type Given = RateLimit | readonly RateLimit[] | false | undefined;

/** A limit, with whose it is. */
export interface Policy extends Limit {
  /** What its counters belong to: the project, a path, a route, or all limits of its name. */
  readonly scope: string;
  /** What clients see. */
  readonly name: string;
  readonly by: NonNullable<RateLimit['by']>;
  readonly count: NonNullable<RateLimit['count']>;
}

/** The limits of a project. The nearest win: those of a route, else of the longest path that holds it, else of the project. */
export class Policies {
  readonly #base: readonly Policy[];
  /** The longest path first. */
  readonly #paths: readonly (readonly [path: string, policies: readonly Policy[]])[];
  readonly #named = new Map<string, Quota>();
  /** What is wrong with limits among each other. */
  readonly mistakes: { readonly file: string; readonly message: string }[] = [];

  constructor({ limit, window, by, count, limits, paths }: Settings) {
    const first = limit === undefined ? [] : [{ limit, window, by, count }];
    this.#base = this.#policies('', [...first, ...limits]);
    this.#paths = Object.entries(paths)
      .sort(([a], [b]) => b.length - a.length)
      .map(([path, given]) => [path, this.#policies(path, given)]);
  }

  /** Whether requests that no route answers may be limited, each by its own path. */
  get isGeneral(): boolean {
    return this.#base.length > 0 || this.#paths.some(([, policies]) => policies.length > 0);
  }

  of({ id, path, file, meta: { rateLimit } }: HttpRoute): readonly Policy[] {
    return rateLimit === undefined ? this.at(path) : this.#policies(id, rateLimit, file);
  }

  /** Those of a path. */
  at(path: string): readonly Policy[] {
    const below = this.#paths.find(([one]) => one === '/' || path === one || path.startsWith(`${one}/`));
    return below ? below[1] : this.#base;
  }

  /** The shortest window first: what a flood exceeds at once does not count for the others. */
  #policies(scope: string, given: Given, file = 'fwk.config'): readonly Policy[] {
    const list = given === false || given === undefined ? [] : [given].flat();
    const policies = list
      .map((one) => this.#policy(scope, one, file))
      .sort((a, b) => a.windowMs - b.windowMs);
    const names = policies.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined)
      this.mistakes.push({
        file,
        message: `has two limits called "${twice}"${scope === '' ? '' : `, of ${scope}`}. Leave one of them out, or give it a name.`,
      });
    return policies;
  }

  #policy(
    scope: string,
    { limit, window = WINDOW_SECONDS, by = 'ip', count = 'all', name }: RateLimit,
    file: string,
  ): Policy {
    const quota = { limit, windowMs: window * 1000 };
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
        message: `has a limit called "${name}" with other numbers than another of that name: they would share one counter. Rename one of them.`,
      });
    return { ...quota, by, count, name, scope: `"${name}" ${limit}/${window}` };
  }
}
