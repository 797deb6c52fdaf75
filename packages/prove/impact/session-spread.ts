import type { Graph, UnitId } from '../graph/index.js';
import { fileOf } from '../graph/index.js';
import type { Endpoint } from './endpoints.js';
import { type Kept, nameOf } from './session-values.js';
import { isTouched, type Known, type SessionWrites } from './session-writes.js';
import { isSame, type Slice } from './slice.js';

/** A session value that may hold something else than before. */
export interface ToldValue {
  readonly name: string;
  /** The unit that writes it, or that decides whether it is written. */
  readonly from: UnitId;
  /** Who finds it there. */
  readonly readers: readonly UnitId[];
}

/** What of a change is known before it spreads. */
export interface Beginning {
  /** Units that say something else. */
  readonly changed: ReadonlySet<UnitId>;
  /** Units that do something else, whatever they say. */
  readonly otherwise: ReadonlySet<UnitId>;
}

/** Finds which session values of one version of a project hold something else after a change. */
export class SessionSpread {
  readonly #told = new Map<string, Kept>();
  /** For each unit of a middleware, what is written behind it. */
  #guards: ReadonlyMap<UnitId, readonly Kept[]> | undefined;

  constructor(
    private readonly graph: Graph,
    private readonly own: SessionWrites,
    /** Of the other version. */
    private readonly other: SessionWrites,
    private readonly beginning: Beginning,
    private readonly endpoints: readonly Endpoint[],
  ) {}

  /** The values that are found in addition, where the change has reached the units that `has` knows. */
  *next(has: (id: UnitId) => boolean): Generator<ToldValue> {
    const known: Known = { has, told: [...this.#told.values()] };
    for (const { kept, units } of this.own.values.writers) {
      if (this.#told.has(nameOf(kept))) continue;
      const from = [...units].find(
        (id) => has(id) && this.#isOtherwise(id, known, (writes) => writes.writing(id, kept)),
      );
      if (from !== undefined) yield this.#tell(kept, from);
    }
    if (this.own.values.writers.length === 0) return;
    this.#guards ??= this.#findGuards();
    for (const [id, behind] of this.#guards)
      if (
        has(id) &&
        behind.some((kept) => !this.#told.has(nameOf(kept))) &&
        this.#isOtherwise(id, known, (writes) => writes.goingOn(id))
      )
        for (const kept of behind) if (!this.#told.has(nameOf(kept))) yield this.#tell(kept, id);
  }

  #tell(kept: Kept, from: UnitId): ToldValue {
    this.#told.set(nameOf(kept), kept);
    return { name: nameOf(kept), from, readers: this.own.values.readersOf(kept) };
  }

  /** Whether what the slice of a unit decides may be another than in the other version. */
  #isOtherwise(id: UnitId, known: Known, sliceIn: (writes: SessionWrites) => Slice | undefined): boolean {
    const slice = sliceIn(this.own);
    if (!slice || isTouched(slice, known) || this.beginning.otherwise.has(id)) return true;
    const former = sliceIn(this.other);
    return this.beginning.changed.has(id) && !(former && isSame(slice, former));
  }

  #findGuards(): Map<UnitId, readonly Kept[]> {
    const found = new Map<UnitId, Set<Kept>>();
    const reaching = this.own.values.writers.map(
      ({ kept, units }) => [kept, this.graph.whoReaches(units)] as const,
    );
    for (const { file, chain } of this.endpoints) {
      const run = [...chain, file].map((one) => this.graph.rootsOf(one));
      for (const [kept, units] of reaching) {
        const last = run.findLastIndex((roots) => roots.some((id) => units.has(id)));
        for (const roots of run.slice(0, Math.max(last, 0)))
          for (const id of roots) found.set(id, (found.get(id) ?? new Set()).add(kept));
      }
    }
    return new Map([...found].map(([id, all]) => [id, [...all]]));
  }
}

/** Units of files that count as changed whatever they say. */
export const unitsIn = (units: ReadonlySet<UnitId>, files: ReadonlySet<string>): UnitId[] =>
  [...units].filter((id) => files.has(fileOf(id)));
