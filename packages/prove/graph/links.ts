import {
  ANY_KEY,
  ANY_MODULE,
  type Blind,
  type Facts,
  fileOf,
  idOf,
  type Read,
  type Unit,
  type UnitId,
} from '../facts/facts.js';
import { ALL, MADE, VALUE } from '../facts/flow.js';
import { HEALTH, INIT } from '../facts/units.js';
import { type Destination, type Destinations, type Found, Linker } from './linker.js';
import { streams } from './streams.js';

/** What leads where in all modules of a project. Never changed once it is made. */
export class Links {
  readonly linker: Linker;
  /** What units mention, or import. */
  readonly code = new Edges();
  /** What they reach over `ctx`. */
  readonly context = new Edges();
  readonly reads = new Map<UnitId, readonly Read[]>();
  readonly outside = new Map<UnitId, Destination[]>();
  /** Units that take something from outside by themselves: few do. */
  readonly leafy = new Map<UnitId, Unit>();
  readonly blind = new Map<UnitId, Blind[]>();
  readonly #modules: ReadonlyMap<string, Facts>;
  readonly #providers: ReadonlyMap<string, string>;
  readonly #behind = new Map<string, readonly UnitId[]>();
  readonly #roots = new Map<string, readonly UnitId[]>();
  #before: ReadonlyMap<UnitId, readonly UnitId[]> | undefined;

  constructor({ modules, destinations, providers, entries }: Linkable) {
    this.#modules = modules;
    this.#providers = providers;
    this.linker = new Linker(modules, destinations);
    for (const facts of modules.values()) this.#link(facts);
    const found = streams({ modules, linker: this.linker, providers, entries });
    for (const [id, reads] of found.reads) this.#read(id, reads);
    for (const { id, blind } of found.losses) this.#lose(id, blind);
    for (const [key] of providers) for (const id of this.behind(key)) this.context.add(ANY_KEY, id);
    if ([...this.blind.values()].some((all) => all.some(({ isModule }) => isModule)))
      for (const { units } of modules.values())
        for (const { id } of units.values()) this.code.add(ANY_MODULE, id);
  }

  /** Each unit that is led to, with those that lead to it. */
  get before(): ReadonlyMap<UnitId, readonly UnitId[]> {
    this.#before ??= this.context.turnInto(this.code.turnInto(new Map()));
    return this.#before;
  }

  /** Where an exported name is declared; all of them for `*`. */
  exported(file: string, name: string): readonly UnitId[] {
    return this.linker.find(file, name).units.map(([home, unit]) => idOf(home, unit));
  }

  /** The units that a convention runs of a file: what it exports, and what runs when it is imported. */
  rootsOf(file: string): readonly UnitId[] {
    const known = this.#roots.get(file);
    if (known) return known;
    const main = this.exported(file, 'default');
    const roots = [idOf(file, INIT), ...(main.length > 0 ? main : this.exported(file, ALL))];
    this.#roots.set(file, this.#modules.has(file) ? roots : []);
    return this.rootsOf(file);
  }

  /** The units by which a service says whether it is well. All of it, where the check does not stand in its file. */
  checksOf(file: string): readonly UnitId[] {
    return this.exported(file, 'default').flatMap((id) => {
      const home = fileOf(id);
      const { units, members = [] } = this.#modules.get(home) ?? {};
      if (id === idOf(home, 'default') && units?.has(HEALTH)) return [idOf(home, HEALTH)];
      return [id, ...members.map((one) => idOf(home, one))];
    });
  }

  /** The units behind a key of `ctx`: what makes its value, and the members that are meant. */
  behind(key: string, member: string = ALL): readonly UnitId[] {
    const asked = `${key}\n${member}`;
    const found = this.#behind.get(asked) ?? [...this.#findBehind(key, member)];
    this.#behind.set(asked, found);
    return found;
  }

  *#findBehind(key: string, member: string): Generator<UnitId> {
    const file = this.#providers.get(key);
    if (file === undefined || !this.#modules.has(file)) return;
    yield* this.rootsOf(file);
    if (member === MADE || member === VALUE) return;
    for (const id of this.exported(file, 'default')) {
      const home = fileOf(id);
      const members = id === idOf(home, 'default') ? (this.#modules.get(home)?.members ?? []) : [];
      const one = `default.${member}`;
      for (const unit of members.includes(one) ? [one] : members) yield idOf(home, unit);
    }
  }

  #link({ file, units, imports, bare, error }: Facts): void {
    const init = idOf(file, INIT);
    if (error)
      this.#lose(init, {
        line: error.line,
        why: `the module cannot be parsed: ${error.message}`,
        isModule: true,
      });
    for (const specifier of imports) {
      const to = this.linker.destination(file, specifier);
      if (to.kind === 'file') this.code.add(init, idOf(to.file, INIT));
      else if (bare.has(specifier)) this.#leave(init, to);
    }
    for (const unit of units.values()) {
      const { id } = unit;
      if (id !== init) this.code.add(id, init);
      if (hasLeaves(unit)) this.leafy.set(id, unit);
      for (const name of unit.uses) this.code.add(id, units.get(name)?.id ?? idOf(file, name));
      for (const { specifier, name } of unit.imports) this.#import(id, file, specifier, name);
      for (const specifier of unit.later) this.#import(id, file, specifier, ALL);
      for (const blind of unit.blind) this.#lose(id, blind);
    }
  }

  #import(id: UnitId, file: string, specifier: string, name: string): void {
    const to = this.linker.destination(file, specifier);
    if (to.kind !== 'file') return this.#leave(id, to);
    this.code.add(id, idOf(to.file, INIT));
    const { units, outside }: Found = this.linker.find(to.file, name);
    for (const [home, unit] of units) {
      this.code.add(id, idOf(home, unit));
      // Whoever has the class or the function that makes a value of ctx may call all of its members.
      const { holders = [], members = [] } = this.#modules.get(home) ?? {};
      if (holders.includes(unit)) for (const one of members) this.code.add(id, idOf(home, one));
    }
    for (const one of outside) this.#leave(id, one);
  }

  #read(id: UnitId, reads: readonly Read[]): void {
    this.reads.set(id, [...(this.reads.get(id) ?? []), ...reads]);
    // What gets another value depends on none that it had.
    for (const { key, member, isAssigned } of reads)
      for (const to of this.behind(key, isAssigned ? MADE : member)) this.context.add(id, to);
  }

  #lose(id: UnitId, blind: Blind): void {
    const known = this.blind.get(id);
    if (known) known.push(blind);
    else this.blind.set(id, [blind]);
    const read = { key: ALL, member: ALL, line: blind.line };
    this.reads.set(id, [...(this.reads.get(id) ?? []), read]);
    this.context.add(id, ANY_KEY);
    if (blind.isModule) this.code.add(id, ANY_MODULE);
  }

  #leave(id: UnitId, to: Destination): void {
    if (to.kind === 'package' && to.name === 'fwkit') return;
    const known = this.outside.get(id);
    if (known) known.push(to);
    else this.outside.set(id, [to]);
  }
}

/** What is outside of the modules of the project. */
export interface Leaves {
  /** Names of environment variables; `*` for any. */
  readonly env: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  /** Node's modules: `node:fs`. */
  readonly builtins: ReadonlySet<string>;
  /** Globals that are ways to the network: `fetch`. */
  readonly net: ReadonlySet<string>;
  /** Templates; `*` for any. */
  readonly views: ReadonlySet<string>;
  readonly blind: readonly (Blind & { readonly file: string })[];
}

/** What some units reach. */
export interface Reached {
  readonly units: ReadonlySet<UnitId>;
  /** The keys of `ctx` that are used. */
  readonly touched: ReadonlySet<string>;
}

export interface Linkable {
  /** By path relative to the source directory of the project. */
  readonly modules: ReadonlyMap<string, Facts>;
  readonly destinations: Destinations;
  /** The file of each key of `ctx`; `plugin "…"` where a plugin provides it. */
  readonly providers: ReadonlyMap<string, string>;
  /** Files that conventions read. */
  readonly entries: Iterable<string>;
}

/** Whether a unit takes anything from outside by itself, but by imports. */
const hasLeaves = ({ env, net, views, builtins }: Unit): boolean =>
  env.size + net.size + views.size + builtins.size > 0;

/** The leaves of some units, put together. */
export class LeafSets implements Leaves {
  readonly env = new Set<string>();
  readonly packages = new Set<string>();
  readonly builtins = new Set<string>();
  readonly net = new Set<string>();
  readonly views = new Set<string>();
  readonly blind: Leaves['blind'][number][] = [];

  /** What a unit says itself. */
  add(unit: Unit): void {
    for (const one of unit.env) this.env.add(one);
    for (const one of unit.net) this.net.add(one);
    for (const one of unit.views) this.views.add(one);
    for (const one of unit.builtins) this.builtins.add(one);
  }

  /** An import that leads out of the project. */
  leave(to: Destination): void {
    if (to.kind === 'builtin') this.builtins.add(to.name);
    else if (to.kind === 'package') this.packages.add(to.name);
  }
}

const NONE: Iterable<UnitId> = [];
/** Where few are looked through faster than found in a set. */
const FEW = 12;

/** Which unit leads to which. */
class Edges {
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
