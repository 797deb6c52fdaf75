import type { UnitId } from './unit-id.js';

const NONE: Iterable<UnitId> = [];
/** Where few are looked through faster than found in a set. */
const FEW = 12;

/** Which unit leads to which. */
export class Edges {
  readonly #to = new Map<UnitId, UnitId[] | Set<UnitId>>();

  add(from: UnitId, to: UnitId): void {
    if (from === to) return;
    const known = this.#to.get(from);
    if (!known) this.#to.set(from, [to]);
    else if (known instanceof Set) known.add(to);
    else if (known.includes(to)) return;
    else if (known.length < FEW) known.push(to);
    else this.#to.set(from, new Set([...known, to]));
  }

  /** Each once. */
  from(id: UnitId): Iterable<UnitId> {
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
