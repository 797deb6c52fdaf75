/** A route at the end of a path. */
export interface Leaf<Value> {
  readonly method: string;
  readonly value: Value;
  readonly names: readonly string[];
}

export interface Node<Value> {
  /** Most nodes lack most of these fields, and an empty Map would take as much memory as the rest. */
  literals: Map<string, Node<Value>> | undefined;
  param: Node<Value> | undefined;
  catchAll: Node<Value> | undefined;
  /** One leaf per method; almost always a single one. */
  leaves: readonly Leaf<Value>[] | undefined;
}

export function treeOf<Value>(routes: Iterable<readonly [string, readonly Leaf<Value>[]]>): Node<Value> {
  const root = node<Value>();
  for (const [path, leaves] of routes) {
    let at = root;
    for (const segment of path.split('/')) {
      if (segment === ':') at = at.param ??= node();
      else if (segment === '*') at = at.catchAll ??= node();
      else if (segment !== '') at = literalOf(at, segment);
    }
    at.leaves = at.leaves ? leaves.reduce(withLeaf<Value>, at.leaves) : leaves;
  }
  return root;
}

/** A node without children. */
function node<Value>(): Node<Value> {
  return { literals: undefined, param: undefined, catchAll: undefined, leaves: undefined };
}

function literalOf<Value>(at: Node<Value>, segment: string): Node<Value> {
  at.literals ??= new Map();
  const known = at.literals.get(segment) ?? node();
  at.literals.set(segment, known);
  return known;
}

/** GET routes also answer HEAD unless the path has a HEAD route (RFC 9110 §9.3.2). */
export function leafFor<Value>(
  leaves: readonly Leaf<Value>[] | undefined,
  method: string,
): Leaf<Value> | undefined {
  if (leaves === undefined) return undefined;
  return of(leaves, method) ?? (method === 'HEAD' ? of(leaves, 'GET') : undefined) ?? of(leaves, 'ALL');
}

function of<Value>(leaves: readonly Leaf<Value>[], method: string): Leaf<Value> | undefined {
  for (const leaf of leaves) if (leaf.method === method) return leaf;
  return undefined;
}

/** The routes of a path with one added, which replaces the route of the same method. */
export const withLeaf = <Value>(
  leaves: readonly Leaf<Value>[] | undefined,
  leaf: Leaf<Value>,
): readonly Leaf<Value>[] =>
  leaves === undefined ? [leaf] : [...leaves.filter(({ method }) => method !== leaf.method), leaf];

/** Search the tree in order of precedence for the first route for `method`; `values` then contains the parameters. */
export function search<Value>(
  at: Node<Value>,
  segments: readonly string[],
  index: number,
  values: string[],
  method: string,
): Leaf<Value> | undefined {
  const segment = segments[index];
  if (segment === undefined) return leafFor(at.leaves, method);
  const literal = at.literals?.get(segment);
  if (literal !== undefined) {
    const found = search(literal, segments, index + 1, values, method);
    if (found !== undefined) return found;
  }
  if (at.param !== undefined) {
    values.push(segment);
    const found = search(at.param, segments, index + 1, values, method);
    if (found !== undefined) return found;
    values.pop();
  }
  if (at.catchAll === undefined) return undefined;
  const found = leafFor(at.catchAll.leaves, method);
  if (found !== undefined) values.push(segments.slice(index).join('/'));
  return found;
}

/** Call `each` for every matching route, in any order, with the values of its parameters. */
export function collect<Value>(
  at: Node<Value>,
  segments: readonly string[],
  index: number,
  given: readonly string[],
  each: (leaf: Leaf<Value>, given: readonly string[]) => void,
): void {
  const segment = segments[index];
  if (segment === undefined) {
    for (const leaf of at.leaves ?? []) each(leaf, given);
    return;
  }
  const literal = at.literals?.get(segment);
  if (literal) collect(literal, segments, index + 1, given, each);
  if (at.param) collect(at.param, segments, index + 1, [...given, segment], each);
  if (at.catchAll)
    collect(at.catchAll, segments, segments.length, [...given, segments.slice(index).join('/')], each);
}
