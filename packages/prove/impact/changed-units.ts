import type { Facts, Graph, UnitId } from '../graph/index.js';
import { fileOf, INIT, idOf } from '../graph/index.js';

/** The project before a change, and after it. */
export interface Versions {
  readonly before: Graph;
  readonly after: Graph;
}

/** Units that are not what they were, by the version that has them. */
export interface ChangedUnits {
  readonly before: ReadonlySet<UnitId>;
  readonly after: ReadonlySet<UnitId>;
}

/**
 * Compare all modules. A unit is another one where it says something else, or where what it mentions leads elsewhere: another
 * file answers its import, another provider its key of `ctx`. `whole`: files of which all counts as changed.
 */
export function changedUnits({ before, after }: Versions, whole: ReadonlySet<string>): ChangedUnits {
  const changed = { before: new Set<UnitId>(), after: new Set<UnitId>() };
  const isLinkedTheSame = after.hasLinksOf(before);
  const loud = isLinkedTheSame
    ? { before: NONE, after: NONE }
    : { before: loudIn(before), after: loudIn(after) };
  for (const file of new Set([...before.modules.keys(), ...after.modules.keys()])) {
    const [then, now] = [before.modules.get(file), after.modules.get(file)];
    if (then === now && isLinkedTheSame && !whole.has(file)) continue;
    const isWhole = whole.has(file) || !then || !now || isBroken(then, now);
    for (const unit of new Set([...unitsOf(then), ...unitsOf(now)])) {
      const id = idOf(file, unit);
      const isThere = then?.units.has(unit) && now?.units.has(unit);
      const isSame =
        !isWhole &&
        isThere &&
        (then === now || saysTheSame(then, now, unit)) &&
        (isLinkedTheSame || isEqual(targets(before, id, loud.before), targets(after, id, loud.after)));
      if (isSame) continue;
      if (then?.units.has(unit)) changed.before.add(id);
      if (now?.units.has(unit)) changed.after.add(id);
    }
  }
  return changed;
}

const NONE: ReadonlySet<UnitId> = new Set();

const unitsOf = (facts: Facts | undefined): Iterable<string> => facts?.units.keys() ?? [];

/** What a text with a mistake says is not known: unless it is the text that was there before. */
const isBroken = (then: Facts, now: Facts): boolean =>
  (then.error !== undefined || now.error !== undefined) && then.text !== now.text;

const saysTheSame = (then: Facts, now: Facts, unit: string): boolean =>
  then.print(unit) === now.print(unit) && (unit !== INIT || isEqual(then.bare, now.bare));

/** What a unit leads to. Modules that do nothing when they are imported may come and go. */
function targets(graph: Graph, id: UnitId, loud: ReadonlySet<UnitId>): Set<UnitId> {
  const own = idOf(fileOf(id), INIT);
  const isQuiet = (to: UnitId): boolean => to !== own && to.endsWith(`#${INIT}`) && !loud.has(to);
  return new Set([...graph.next(id)].filter((to) => !isQuiet(to)));
}

/** What runs something when it is imported, itself or by what it imports. */
function loudIn(graph: Graph): ReadonlySet<UnitId> {
  const own: UnitId[] = [];
  for (const { file, units, bare } of graph.modules.values()) {
    const init = units.get(INIT);
    if (init && (init.isWritten || init.uses.size > 0 || bare.size > 0)) own.push(idOf(file, INIT));
  }
  return graph.whoReaches(own);
}

const isEqual = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((one) => b.has(one));
