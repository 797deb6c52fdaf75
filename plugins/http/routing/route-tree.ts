/** A route at the end of a path. */
export interface Leaf<Value> {
  readonly method: string;
  readonly value: Value;
  readonly names: readonly string[];
}

/** A node: the segments that may follow one segment of a path. */
export interface Node<Value> {
  /** Most nodes lack most of these, and a Map takes as much as all the rest. */
  literals: Map<string, Node<Value>> | undefined;
  param: Node<Value> | undefined;
  catchAll: Node<Value> | undefined;
  /** One for each method: nearly always one. */
  leaves: Leaf<Value>[] | undefined;
}

/** One that nothing follows. */
export function node<Value>(): Node<Value> {
  return { literals: undefined, param: undefined, catchAll: undefined, leaves: undefined };
}

/** GET answers HEAD where no route does so itself (RFC 9110 §9.3.2). */
export function leafFor<Value>({ leaves }: Node<Value>, method: string): Leaf<Value> | undefined {
  if (leaves === undefined) return undefined;
  return of(leaves, method) ?? (method === 'HEAD' ? of(leaves, 'GET') : undefined) ?? of(leaves, 'ALL');
}

function of<Value>(leaves: readonly Leaf<Value>[], method: string): Leaf<Value> | undefined {
  for (const leaf of leaves) if (leaf.method === method) return leaf;
  return undefined;
}

/** Sets the route of a path for the method of `leaf`, in place of one that is there. */
export function setLeaf<Value>(at: Node<Value>, leaf: Leaf<Value>): void {
  if (at.leaves === undefined) at.leaves = [leaf];
  else at.leaves = [...at.leaves.filter(({ method }) => method !== leaf.method), leaf];
}

/** Walk the tree in order of precedence to the first route for `method`; `values` then holds the parameters. */
export function search<Value>(
  at: Node<Value>,
  segments: readonly string[],
  index: number,
  values: string[],
  method: string,
): Leaf<Value> | undefined {
  const segment = segments[index];
  if (segment === undefined) return leafFor(at, method);
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
  const found = leafFor(at.catchAll, method);
  if (found !== undefined) values.push(segments.slice(index).join('/'));
  return found;
}

/** Call `each` with every route that matches, whatever its precedence, with the values of its parameters. */
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
