import { fileOf, type Graph, INIT, idOf, type UnitId, unitOf } from '../graph/index.js';
import type { SessionSpread } from './session-spread.js';

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
