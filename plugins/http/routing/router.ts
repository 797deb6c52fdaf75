import { type Project, slotKey } from '../../../kernel/index.js';
import { isUnmatchable, readPath, split } from '../request/path-segments.js';
import type { HttpRoute } from './route.js';
import { collect, type Leaf, leafFor, type Node, search, treeOf, withLeaf } from './route-tree.js';

export interface Match<Value> {
  readonly value: Value;
  /** The decoded parameters by name. A catch-all keeps its slashes. */
  readonly params: Readonly<Record<string, string>>;
}

/** No match: a malformed path, or a URL with other methods (an empty list if the URL doesn't exist). */
export type Unmatched<Value> = NoMatch<Value> | 'malformed';

/** A URL that has routes for other methods, or no routes at all. */
export interface NoMatch<Value> {
  readonly allowedMethods: readonly string[];
  readonly values: readonly Value[];
  readonly params: Readonly<Record<string, string>>;
}

/** Methods whose literal paths have a lookup table. All others search the tree. */
const COMMON = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Finds the route of a URL path. At every segment, a literal takes precedence over a parameter, and a parameter over a
 * catch-all, with backtracking. Among the routes of one URL, the exact method takes precedence over `ALL`. The order in which
 * routes are added doesn't matter.
 */
export class Router<Value> {
  readonly #leaves = new Map<string, readonly Leaf<Value>[]>();
  /** The fallback for lookups that the tables can't answer. Built on first use, because many apps never need it. */
  #tree: Node<Value> | undefined;
  /** Paths without parameters, per method. Most lookups end here, without decoding or splitting. */
  readonly #literal = perMethod<Match<Value>>();
  /** Paths whose only parameter is the last segment, by the part before it. */
  readonly #last = perMethod<Leaf<Value>>();

  add({ method, path }: Pick<HttpRoute, 'method' | 'path'>, value: Value): void {
    const { shape, names } = readPath(path);
    const leaves = withLeaf(this.#leaves.get(shape), { method, value, names: names.map(asKey) });
    this.#leaves.set(shape, leaves);
    this.#tree = undefined;
    const isLast = names.length === 1 && shape.endsWith('/:');
    if (path.includes('%') || !(names.length === 0 || isLast)) return;
    for (const common of answeredBy(method)) {
      const leaf = leafFor(leaves, common);
      if (leaf === undefined) continue;
      if (isLast) this.#last.get(common)?.set(shape.slice(0, -2), leaf);
      else this.#literal.get(common)?.set(path, { value: leaf.value, params: NO_PARAMS });
    }
  }

  /** Find the route of a URL path as it appears in the request: encoded, without query. */
  find(method: string, path: string): Match<Value> | Unmatched<Value> {
    const literals = this.#literal.get(method);
    const literal = literals?.get(path);
    if (literal !== undefined) return literal;

    const encoded = path.includes('%');
    // Valid only after the lookup of the literal path, which takes precedence over the parameter.
    const last =
      encoded || literals === undefined || !path.startsWith('/') ? undefined : this.#findLast(method, path);
    if (last !== undefined) return last;
    const segments = split(path, encoded);
    if (segments === 'malformed' || segments === 'unmatchable')
      return segments === 'malformed' ? segments : NO_MATCH;
    const values: string[] = [];
    this.#tree ??= treeOf(this.#leaves);
    const leaf = search(this.#tree, segments, 0, values, method);
    if (leaf === undefined) return noMatch(this.#tree, segments);
    const { value, names } = leaf;
    if (names.length === 0) return { value, params: NO_PARAMS };
    const params: Record<string, string> = Object.create(null);
    for (let index = 0; index < names.length; index++)
      params[names[index] as string] = values[index] as string;
    return { value, params };
  }

  /** Same result as the tree for a path whose last segment is a parameter, without searching the tree. */
  #findLast(method: string, path: string): Match<Value> | undefined {
    const slash = path.lastIndexOf('/');
    const leaf = this.#last.get(method)?.get(path.slice(0, slash));
    const segment = path.slice(slash + 1);
    if (leaf === undefined || isUnmatchable(segment)) return undefined;
    const params: Record<string, string> = Object.create(null);
    params[leaf.names[0] as string] = segment;
    return { value: leaf.value, params };
  }
}

type Url = Pick<HttpRoute, 'method' | 'path'>;

const ROUTER = slotKey<{ urls: readonly Url[]; router: Router<number> }>('http.router');

/** The router that finds the index of each route in `routes`: the router of the previous version, if its routes had the same URLs. */
export function routerFor(routes: readonly HttpRoute[], project: Project): Router<number> {
  const known = project.inherit(ROUTER, () => ({ urls: [], router: new Router<number>() }));
  const isSame = (url: Url, index: number): boolean => {
    const before = known.urls[index];
    return url.method === before?.method && url.path === before.path;
  };
  if (routes.length === known.urls.length && routes.every(isSame)) return known.router;
  known.urls = routes.map(({ method, path }) => ({ method, path }));
  known.router = new Router<number>();
  for (const [index, url] of known.urls.entries()) known.router.add(url, index);
  return known.router;
}

function noMatch<Value>(tree: Node<Value>, segments: readonly string[]): NoMatch<Value> {
  const methods = new Set<string>();
  const values: Value[] = [];
  const params: Record<string, string> = Object.create(null);
  collect(tree, segments, 0, [], (leaf, given) => {
    methods.add(leaf.method);
    values.push(leaf.value);
    for (const [index, name] of leaf.names.entries()) params[name] = given[index] as string;
  });
  if (methods.size === 0) return NO_MATCH;
  if (methods.has('GET')) methods.add('HEAD');
  methods.add('OPTIONS');
  return { allowedMethods: [...methods].sort(), values, params };
}

/** The internalized string with the same text: V8 would otherwise internalize each slice for the property lookup. */
function asKey(name: string): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = Object.keys({ [name]: true })[0] ?? name;
  keys.set(name, key);
  return key;
}

/** Shared by all routers: projects have few names, and reloads reuse them. */
const keys = new Map<string, string>();

const perMethod = <Found>() =>
  new Map<string, Map<string, Found>>(COMMON.map((method) => [method, new Map()]));

/** The request methods that a route for `method` can answer. */
const answeredBy = (method: string): readonly string[] =>
  method === 'ALL' ? COMMON : method === 'GET' ? ['GET', 'HEAD'] : [method];

/** `params` of a path without parameters. It has no prototype, because parameter names are looked up in it. */
export const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));
const NO_MATCH: NoMatch<never> = Object.freeze({ allowedMethods: [], values: [], params: NO_PARAMS });
