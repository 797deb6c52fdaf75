import type { IncomingMessage } from 'node:http';
import type { OptionValues } from '../../kernel/index.js';
import type { FrontHandler, HttpRoute } from '../http/index.js';
import { corsFront } from './front.js';
import { conflictsIn, mistakesIn } from './mistakes.js';
import type { CorsOptions, corsOptions } from './options.js';

type Settings = OptionValues<typeof corsOptions>;

/** Conventions that check the Origin themselves: `mcp.hosts`, `ws.origins`. */
const OWN_CHECK: ReadonlySet<string> = new Set(['mcp', 'ws']);

/** What is allowed where, by the config and the `.meta()` of routes. */
export class Policies {
  readonly #base: CorsOptions;
  /** The longest first: the nearest wins. */
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

  /** Whether the config lets any page ask. Routes may by themselves. */
  get isConfigured(): boolean {
    return this.#base.origin !== undefined || this.#paths.length > 0;
  }

  /** What is wrong with the config, one sentence each. */
  mistakes(): string[] {
    const { origin, credentials } = this.#base;
    const own = mistakesIn(this.#base, (key) => `has "cors.${key}", which`);
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
    const mistakes = /^\/(?:[^/]+(?:\/[^/]+)*)?$/.test(path)
      ? []
      : [`${name}. Write a path that begins with "/" and does not end with one: "/api/public".`];
    if (options === false) return mistakes;
    const own = mistakesIn(options, (key) => `${name}, where ${key || 'it'}`);
    if (own.length === 0) own.push(...conflictsIn({ ...this.#base, ...options }, `${name}, which`));
    return [...mistakes, ...own];
  }

  /** What is wrong with the `.meta()` of a route, one sentence each. */
  routeMistakes({ path, meta: { cors } }: HttpRoute): string[] {
    if (cors === undefined || cors === false) return [];
    const own = mistakesIn(cors, (key) => `has .meta({ cors }), where ${key || 'it'}`);
    if (own.length > 0) return own;
    return conflictsIn({ ...this.#base, ...this.#at(path), ...cors }, 'has .meta({ cors }), which');
  }

  /** What runs in front of a route; of those with the same options the same function. */
  frontOf({ kind, path, meta: { cors } }: HttpRoute): FrontHandler | undefined {
    if (OWN_CHECK.has(kind) || cors === false) return undefined;
    const below = this.#at(path);
    return cors === undefined ? this.#front(below) : corsFront({ ...this.#base, ...below, ...cors });
  }

  /** What runs in front of requests that no route answers: it goes by their path. */
  frontOfOthers(): FrontHandler | undefined {
    if (this.#paths.length === 0) return this.#front(undefined);
    return (raw, res) => this.#front(this.#at(pathOf(raw)))?.(raw, res);
  }

  #front(below: CorsOptions | false | undefined): FrontHandler | undefined {
    if (this.#fronts.has(below)) return this.#fronts.get(below);
    const options = { ...this.#base, ...below };
    const front = below === false || options.origin === undefined ? undefined : corsFront(options);
    this.#fronts.set(below, front);
    return front;
  }

  /** The options of a path, beside those for all. */
  #at(path: string): CorsOptions | false | undefined {
    return this.#paths.find(([one]) => one === '/' || path === one || path.startsWith(`${one}/`))?.[1];
  }
}

/** The path that a request names, decoded; as it is where it cannot be. */
function pathOf({ url = '/' }: IncomingMessage): string {
  const [path = '/'] = url.split('?', 1);
  try {
    return path.includes('%') ? decodeURIComponent(path) : path;
  } catch {
    return path;
  }
}
