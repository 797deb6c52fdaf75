/** The values that factories read while values are being made. */
export class Dependencies {
  readonly #reads = new Map<string, Set<string>>();

  /** Record that the factory of `from` reads `to`. */
  add(from: string, to: string): void {
    const known = this.#reads.get(from);
    if (known) known.add(to);
    else this.#reads.set(from, new Set([to]));
  }

  from(key: string): readonly string[] {
    return [...(this.#reads.get(key) ?? [])];
  }

  /** The largest subset of `keys` whose values read nothing outside it. */
  closed(keys: Iterable<string>): ReadonlySet<string> {
    const closed = new Set(keys);
    const isOpen = (key: string): boolean => {
      for (const read of this.#reads.get(key) ?? []) if (!closed.has(read)) return true;
      return false;
    };
    // Removing a key may affect another key that precedes it in the set.
    for (let before = Number.NaN; before !== closed.size; ) {
      before = closed.size;
      for (const key of closed) if (isOpen(key)) closed.delete(key);
    }
    return closed;
  }

  of(keys: ReadonlySet<string>): Dependencies {
    const some = new Dependencies();
    for (const [from, reads] of this.#reads) if (keys.has(from)) some.#reads.set(from, new Set(reads));
    return some;
  }

  /** The cycle if `from` read `to`, from its smallest key: `['a', 'b', 'a']`; undefined if there is none. */
  cycle(from: string, to: string): readonly string[] | undefined {
    const path = this.#path(to, from, new Set());
    if (!path) return undefined;
    const smallest = path.indexOf([...path].sort()[0] ?? '');
    const turned = [...path.slice(smallest), ...path.slice(0, smallest)];
    return [...turned, ...turned.slice(0, 1)];
  }

  #path(at: string, goal: string, seen: Set<string>): string[] | undefined {
    if (at === goal) return [at];
    if (seen.has(at)) return undefined;
    seen.add(at);
    for (const next of this.#reads.get(at) ?? []) {
      const rest = this.#path(next, goal, seen);
      if (rest) return [at, ...rest];
    }
    return undefined;
  }
}
