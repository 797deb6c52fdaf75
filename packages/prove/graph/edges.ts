import type { UnitId } from './unit-id.js';

const NONE: ReadonlySet<UnitId> = new Set();

/** Which unit leads to which. */
export class Edges {
  readonly #to = new Map<UnitId, Set<UnitId>>();

  add(from: UnitId, to: UnitId): void {
    if (from === to) return;
    const known = this.#to.get(from);
    if (known) known.add(to);
    else this.#to.set(from, new Set([to]));
  }

  from(id: UnitId): ReadonlySet<UnitId> {
    return this.#to.get(id) ?? NONE;
  }

  /** Add each edge to `before`, turned round. Returns it. */
  turnInto(before: Map<UnitId, UnitId[]>): Map<UnitId, UnitId[]> {
    for (const [from, all] of this.#to)
      for (const to of all) {
        const known = before.get(to);
        if (known) known.push(from);
        else before.set(to, [from]);
      }
    return before;
  }
}
