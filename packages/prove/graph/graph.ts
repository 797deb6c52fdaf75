import { ANY_KEY, ANY_MODULE, type Facts, fileOf, type Read, type UnitId } from '../facts/facts.js';
import { ALL, MADE } from '../facts/flow.js';
import type { Destinations } from './linker.js';
import { LeafSets, type Leaves, type Linkable, Links, type Reached } from './links.js';

/** All modules of a project, linked: what reaches what, over imports and over `ctx`. */
export class Graph {
  readonly modules: ReadonlyMap<string, Facts>;
  readonly providers: ReadonlyMap<string, string>;
  readonly destinations: Destinations;
  readonly #entries: readonly string[];
  readonly #links: Links;

  /** `like`: another version of the project. Where all leads to the same, its links are used, with the lines that it has. */
  constructor({ modules, destinations, providers, entries }: Linkable, like?: Graph) {
    this.modules = modules;
    this.providers = providers;
    this.destinations = destinations;
    this.#entries = [...entries];
    const linkable = { modules, destinations, providers, entries: this.#entries };
    this.#links = like?.isLinkedAs(linkable) ? like.#links : new Links(linkable);
  }

  /** Whether each unit leads to the same as in `other`. */
  hasLinksOf(other: Graph): boolean {
    return this.#links === other.#links;
  }

  /** Where an exported name is declared; all of them for `*`. */
  exported(file: string, name: string): readonly UnitId[] {
    return this.#links.exported(file, name);
  }

  /** The units that a convention runs of a file: what it exports, and what runs when it is imported. */
  rootsOf(file: string): readonly UnitId[] {
    return this.#links.rootsOf(file);
  }

  /** The units by which a service says whether it is well; all of it where that is not told apart. */
  checksOf(file: string): readonly UnitId[] {
    return this.#links.checksOf(file);
  }

  /** What files reach: what conventions run of them, and all that follows. */
  reach(files: Iterable<string>): Reached {
    return this.reachOf([...files].flatMap((file) => this.rootsOf(file)));
  }

  /** What units reach, these included. */
  reachOf(units: Iterable<UnitId>): Reached {
    const reached = new Set<UnitId>(units);
    const touched = new Set<string>();
    for (const id of reached) {
      for (const next of this.#links.code.from(id)) reached.add(next);
      for (const next of this.#links.context.from(id)) reached.add(next);
      for (const { key, member } of this.#links.reads.get(id) ?? [])
        if (key === ALL) for (const one of this.providers.keys()) touched.add(one);
        else if (member !== MADE) touched.add(key);
    }
    reached.delete(ANY_KEY);
    reached.delete(ANY_MODULE);
    return { units: reached, touched };
  }

  /** All units that reach one of these, these included. */
  whoReaches(units: Iterable<UnitId>): ReadonlySet<UnitId> {
    const seen = new Set<UnitId>(units);
    for (const id of seen) for (const one of this.usersOf(id)) seen.add(one);
    seen.delete(ANY_KEY);
    seen.delete(ANY_MODULE);
    return seen;
  }

  /** The units that one leads to by itself. */
  *next(id: UnitId): Generator<UnitId> {
    yield* this.mentions(id);
    yield* this.#links.context.from(id);
  }

  /** Those that it mentions, or imports: all but what it reaches over `ctx`. */
  mentions(id: UnitId): Iterable<UnitId> {
    return this.#links.code.from(id);
  }

  /** The units that lead to one by themselves. */
  usersOf(id: UnitId): readonly UnitId[] {
    return this.#links.before.get(id) ?? [];
  }

  /** What a unit itself reads of `ctx`. */
  reads(id: UnitId): readonly Read[] {
    return this.#links.reads.get(id) ?? [];
  }

  /** The units behind a key of `ctx`: what makes its value, and the members that are meant. */
  behind(key: string, member: string = ALL): readonly UnitId[] {
    return this.#links.behind(key, member);
  }

  /** What units take from outside of the project's modules. */
  leavesOf(units: Iterable<UnitId>): Leaves {
    const leaves = new LeafSets();
    for (const id of units) {
      const unit = this.#links.leafy.get(id);
      if (unit) leaves.add(unit);
      for (const one of this.#links.outside.get(id) ?? []) leaves.leave(one);
      for (const blind of this.#links.blind.get(id) ?? []) leaves.blind.push({ file: fileOf(id), ...blind });
    }
    return leaves;
  }

  private isLinkedAs({ modules, destinations, providers, entries }: Linkable): boolean {
    if (modules.size !== this.modules.size) return false;
    if (!isSame([...providers], [...this.providers]) || !isSame([...entries], this.#entries)) return false;
    for (const [file, facts] of modules) {
      const known = this.modules.get(file);
      if (known !== facts && !known?.isLike(facts)) return false;
      const [to, before] = [destinations.get(file), this.destinations.get(file)];
      if (to !== before && !isSame([...(to ?? [])], [...(before ?? [])])) return false;
    }
    return true;
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
