import { type Facts, fileOf, idOf, type UnitId, unitOf } from '../facts/facts.js';
import { INIT } from '../facts/units.js';
import type { Graph } from '../graph/graph.js';
import type { SessionSpread } from './sessions.js';

/** How far a change goes in one version of the project. */
export class Spread {
  /** Each unit that is reached, and the one that it is reached by; undefined for one that changed itself. */
  readonly #from = new Map<UnitId, UnitId | undefined>();
  readonly #told = new Set<string>();

  constructor(
    private readonly graph: Graph,
    /** Those that changed. */
    readonly seeds: ReadonlySet<UnitId>,
    /** Files whose text is another: a way that ends there says more than one that ends where an import leads elsewhere now. */
    edited: ReadonlySet<string>,
    private readonly sessions?: SessionSpread,
  ) {
    const isEdited = (id: UnitId): boolean => edited.has(fileOf(id));
    const sorted = [...seeds].sort();
    this.#add(sorted.filter(isEdited), undefined);
    this.#add(sorted, undefined);
    // What a unit keeps for later, the others that look there find; they may keep something in turn.
    for (let before = -1; before !== this.#from.size + this.#told.size; ) {
      before = this.#from.size + this.#told.size;
      for (const file of new Set([...this.#from.keys()].map(fileOf))) this.#addState(file);
      // What is kept in a session, later requests of the same visitor find; what holds a state counts where it is told.
      const has = (id: UnitId): boolean => this.has(id) || this.#told.has(id);
      for (const { name, readers, from } of this.sessions?.next(has) ?? []) this.#tell(name, readers, from);
    }
  }

  has(id: UnitId): boolean {
    return this.#from.has(id);
  }

  get units(): Iterable<UnitId> {
    return this.#from.keys();
  }

  /** Whether something of a file is reached that a convention runs. */
  reachesRoot(file: string): boolean {
    return this.graph.rootsOf(file).some((id) => this.has(id));
  }

  /** Whether what a service says of its health may be another. */
  reachesCheck(file: string): boolean {
    return this.graph.checksOf(file).some((id) => this.has(id));
  }

  reachesFile(file: string): boolean {
    const { units } = this.graph.modules.get(file) ?? {};
    return units !== undefined && [...units.keys()].some((unit) => this.has(idOf(file, unit)));
  }

  /** The files from one that is reached to one that changed, by the shortest way. */
  way(file: string): string[] {
    const isReached = (id: UnitId): boolean => this.has(id);
    const start = this.graph.rootsOf(file).find(isReached) ?? this.graph.checksOf(file).find(isReached);
    const files: string[] = [];
    for (let at = start; at !== undefined; at = this.#from.get(at)) {
      const next = fileOf(at);
      if (this.graph.modules.has(next) && files.at(-1) !== next) files.push(next);
    }
    return files;
  }

  /** Breadth first, so that the way that is kept is the shortest; sorted, so that it is the same each time. */
  #add(units: readonly UnitId[], from: UnitId | undefined): void {
    const todo: UnitId[] = [];
    for (const id of units)
      if (!this.#from.has(id)) {
        this.#from.set(id, from);
        todo.push(id);
      }
    for (let at = 0; at < todo.length; at++) {
      const id = todo[at] as UnitId;
      for (const user of this.graph.usersOf(id))
        if (!this.#from.has(user)) {
          this.#from.set(user, id);
          todo.push(user);
        }
    }
  }

  #addState(file: string): void {
    const facts = this.graph.modules.get(file);
    if (!facts || facts.error) return;
    const { writers, users, others } = facts.state();
    for (const [state, units] of writers) {
      const writer = [...units].find((unit) => this.has(idOf(file, unit)));
      if (writer === undefined) continue;
      const from = idOf(file, writer);
      const [declared = ''] = state.split(' ');
      this.#tell(
        `${file} ${state}`,
        [...(users.get(state) ?? [])].map((unit) => idOf(file, unit)),
        from,
      );
      if (facts.units.has(declared))
        this.#tell(idOf(file, declared), this.#mentioning(idOf(file, declared)), from);
    }
    for (const unit of others) {
      const from = idOf(file, unit);
      if (!this.has(from)) continue;
      for (const id of this.graph.next(from))
        if (this.graph.modules.get(fileOf(id))?.units.get(unitOf(id))?.isState)
          this.#tell(id, this.#mentioning(id), from);
    }
  }

  #tell(state: string, users: readonly UnitId[], from: UnitId): void {
    if (this.#told.has(state)) return;
    this.#told.add(state);
    this.#add([...users].sort(), from);
  }

  #mentioning(id: UnitId): UnitId[] {
    return this.graph.usersOf(id).filter((one) => unitOf(one) !== INIT);
  }
}

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
