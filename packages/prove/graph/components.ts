/** The strongly connected components of a graph, each after those that it leads to (Tarjan), without recursion. */
export function components(nodes: Iterable<string>, next: (node: string) => readonly string[]): string[][] {
  const indexes = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const found: string[][] = [];

  for (const root of nodes) {
    if (indexes.has(root)) continue;
    const work: { readonly node: string; readonly next: readonly string[]; at: number }[] = [];
    const enter = (node: string): void => {
      indexes.set(node, indexes.size);
      low.set(node, indexes.size - 1);
      open.push(node);
      isOpen.add(node);
      work.push({ node, next: next(node), at: 0 });
    };
    enter(root);
    for (let top = work.at(-1); top; top = work.at(-1)) {
      const { node } = top;
      const child = top.next[top.at++];
      if (child !== undefined) {
        if (!indexes.has(child)) enter(child);
        else if (isOpen.has(child)) lower(low, node, indexes.get(child));
        continue;
      }
      work.pop();
      const outer = work.at(-1);
      if (outer) lower(low, outer.node, low.get(node));
      if (low.get(node) !== indexes.get(node)) continue;
      const component = open.splice(open.lastIndexOf(node));
      for (const one of component) isOpen.delete(one);
      found.push(component);
    }
  }
  return found;
}

function lower(low: Map<string, number>, node: string, to = 0): void {
  low.set(node, Math.min(low.get(node) ?? to, to));
}
