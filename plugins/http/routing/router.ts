import { isUnmatchable, readPath, split } from '../request/path-segments.js';
import type { HttpRoute } from './route.js';
import { collect, type Leaf, leafFor, type Node, search, treeOf, withLeaf } from './route-tree.js';

export interface Match<Value> {
  readonly value: Value;
  /** The decoded parameters of the path, by name; of a catch-all, with its slashes. */
  readonly params: Readonly<Record<string, string>>;
}

/** Nothing was found: a malformed path, or a URL that has other methods (none: there is no such URL). */
export type Unmatched<Value> = NoMatch<Value> | 'malformed';

/** A URL that is answered under other methods, or under none. */
export interface NoMatch<Value> {
  readonly allowedMethods: readonly string[];
  readonly values: readonly Value[];
  readonly params: Readonly<Record<string, string>>;
}

/** Methods whose literal paths are looked up in one step; all others walk the tree. */
const COMMON = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Finds the route of a URL path. At every segment a literal beats a parameter, and a parameter a catch-all, with
 * backtracking; of the routes of one URL, the exact method beats `ALL`. The order of adding makes no difference.
 */
export class Router<Value> {
  readonly #leaves = new Map<string, readonly Leaf<Value>[]>();
  /** What the tables below do not answer. Made when it is first asked, since many apps never ask. */
  #tree: Node<Value> | undefined;
  /** Paths without parameters, per method: most lookups end here, without decoding or splitting. */
  readonly #literal = perMethod<Match<Value>>();
  /** Those whose one parameter is the last segment, by what is before it. */
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

  /** `path` is a URL path as it stands in the request: encoded, and without query. */
  find(method: string, path: string): Match<Value> | Unmatched<Value> {
    const literals = this.#literal.get(method);
    const literal = literals?.get(path);
    if (literal !== undefined) return literal;

    const encoded = path.includes('%');
    // Sound only where the literal path, which would beat the parameter, has been looked for.
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

  /** The tree's answer where a parameter takes the last segment, found without walking it. */
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

/** The one string of that text which property lookups know: a slice would be looked for each time. */
function asKey(name: string): string {
  const known = keys.get(name);
  if (known !== undefined) return known;
  const key = Object.keys({ [name]: true })[0] ?? name;
  keys.set(name, key);
  return key;
}

/** For all routers: projects have few names, and reloads have the same. */
const keys = new Map<string, string>();

const perMethod = <Found>() =>
  new Map<string, Map<string, Found>>(COMMON.map((method) => [method, new Map()]));

/** The methods that a route of `method` may be the answer to. */
const answeredBy = (method: string): readonly string[] =>
  method === 'ALL' ? COMMON : method === 'GET' ? ['GET', 'HEAD'] : [method];

/** `params` of a path that has none. Without a prototype: names are a client's words. */
export const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));
const NO_MATCH: NoMatch<never> = Object.freeze({ allowedMethods: [], values: [], params: NO_PARAMS });
