import type { ProviderInfo } from 'fwkit/plugin';
import { type Facts, fileOf, idOf, isAny, type Read, type UnitId, unitOf } from '../facts/facts.js';
import { ALL, MADE, VALUE } from '../facts/flow.js';
import { partialFacts } from '../facts/module-facts.js';
import { INIT } from '../facts/units.js';
import type { Graph } from '../graph/graph.js';
import type { Endpoint } from './endpoints.js';
import { Handler, importedUnits, isSame, type Slice, sliceOf } from './slice.js';

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

/** A value of `ctx` that a session keeps, or one member of it: `*` for all of it. */
interface Kept {
  readonly key: string;
  readonly member: string;
}

const nameOf = ({ key, member }: Kept): string => `ctx.${key}.${member}`;

/** Whether who reads `read` finds there what was written to `kept`. */
const finds = (read: Kept & { readonly isAssigned?: true | undefined }, { key, member }: Kept): boolean =>
  read.key === ALL ||
  (read.key === key &&
    read.isAssigned !== true &&
    read.member !== MADE &&
    (read.member === member || read.member === ALL || member === ALL));

const SESSION = /\blifetime\s*:\s*['"`]session['"`]/;

/** The session values of one version of a project, and who has to do with each. */
export class SessionValues {
  /** Units that change a value, or that call what does: by what they change. */
  readonly writers: readonly { readonly kept: Kept; readonly units: ReadonlySet<UnitId> }[];
  readonly keys: readonly string[];
  readonly #ids: readonly UnitId[];
  readonly #homes: ReadonlySet<string>;
  /** Values of a request that hand on what is in a session: by key, those of the session. */
  readonly #handing = new Map<string, readonly string[]>();

  /** `providers`: of the project as it is. */
  constructor(
    private readonly graph: Graph,
    providers: readonly ProviderInfo[],
  ) {
    const known = new Set(providers.filter(({ lifetime }) => lifetime === 'session').map(({ key }) => key));
    this.keys = [...graph.providers]
      .filter(([key, file]) => known.has(key) || SESSION.test(graph.modules.get(file)?.text ?? ''))
      .map(([key]) => key);
    this.#homes = new Set(graph.providers.values());
    this.#ids = [];
    this.writers = [];
    if (this.keys.length === 0) return;
    this.#ids = [...graph.modules.values()].flatMap(({ file, units }) =>
      [...units.keys()].map((unit) => idOf(file, unit)),
    );
    for (const [key, file] of graph.providers)
      if (!this.keys.includes(key) && graph.modules.has(file)) this.#handing.set(key, this.#behind(key));
    this.writers = this.#findWriters();
  }

  /** Units that find what was written. */
  readersOf(kept: Kept): UnitId[] {
    return this.#ids.filter((id) => this.graph.reads(id).some((read) => finds(read, kept)));
  }

  /** What a read changes. */
  writtenBy({ key, member, isWriting }: Omit<Read, 'line'>): Kept[] {
    if (!isWriting) return [];
    if (!this.keys.includes(key))
      return (this.#handing.get(key) ?? []).map((one) => ({ key: one, member: ALL }));
    return [{ key, member: member === VALUE || member === MADE ? ALL : member }];
  }

  #behind(key: string): string[] {
    const { touched } = this.graph.reachOf(this.graph.behind(key));
    return this.keys.filter((one) => touched.has(one));
  }

  #findWriters(): SessionValues['writers'] {
    const found = new Map<string, { readonly kept: Kept; readonly units: Set<UnitId> }>();
    const note = (id: UnitId, kept: Kept): void => {
      const known = found.get(nameOf(kept)) ?? { kept, units: new Set() };
      found.set(nameOf(kept), known);
      known.units.add(id);
    };
    for (const id of this.#ids) {
      for (const read of this.graph.reads(id)) for (const kept of this.writtenBy(read)) note(id, kept);
      if (this.#endsSession(id)) for (const key of this.keys) note(id, { key, member: ALL });
    }
    return [...found.values()].map(({ kept, units }) => ({ kept, units: this.#withCallers(units) }));
  }

  #endsSession(id: UnitId): boolean {
    const imports = this.graph.modules.get(fileOf(id))?.units.get(unitOf(id))?.imports ?? [];
    return imports.some(isEnding);
  }

  /** These, and who calls them. What makes a value of `ctx` runs for whoever asks first, and is called by nobody. */
  #withCallers(units: ReadonlySet<UnitId>): Set<UnitId> {
    const found = new Set(units);
    for (const id of found) {
      if (this.#isMade(id)) continue;
      for (const user of this.graph.usersOf(id)) if (!isAny(user) && unitOf(user) !== INIT) found.add(user);
    }
    return found;
  }

  #isMade(id: UnitId): boolean {
    const file = fileOf(id);
    if (unitOf(id) === INIT) return true;
    const isSplit = (this.graph.modules.get(file)?.members.length ?? 0) > 0;
    return this.#homes.has(file) && isSplit && unitOf(id) === 'default';
  }
}

/** `endSession` of fwkit, after which a session keeps nothing. */
const isEnding = ({ specifier, name }: { readonly specifier: string; readonly name: string }): boolean =>
  specifier === 'fwkit' && name === 'endSession';

/** The place of `next` in the parameters of a middleware. */
const NEXT = 3;

/** Finds what of a unit decides what it writes to a session value: what comes after does not. */
export class SessionWrites {
  readonly #slices = new Map<string, Slice | undefined>();
  readonly #handlers = new Map<string, Handler | undefined>();

  constructor(
    private readonly graph: Graph,
    readonly values: SessionValues,
  ) {}

  /** Undefined where all of the unit may. */
  writing(id: UnitId, kept: Kept): Slice | undefined {
    return this.#remembered(`${id} ${nameOf(kept)}`, () => this.#writing(id, kept));
  }

  /** Of a middleware, what decides whether it goes on. */
  goingOn(id: UnitId): Slice | undefined {
    return this.#remembered(id, () => {
      const handler = this.#handlerOf(id);
      return handler && this.#sliceOf(id, handler.until(handler.untilParameter(NEXT), NEXT));
    });
  }

  #remembered(name: string, find: () => Slice | undefined): Slice | undefined {
    if (!this.#slices.has(name)) this.#slices.set(name, find());
    return this.#slices.get(name);
  }

  #writing(id: UnitId, kept: Kept): Slice | undefined {
    const handler = this.#handlerOf(id);
    const facts = this.graph.modules.get(fileOf(id));
    if (!handler || !facts) return undefined;
    const { units } = this.values.writers.find((one) => nameOf(one.kept) === nameOf(kept)) ?? {};
    const writers = units ?? new Set();
    // How often the same function of the module is called is not known.
    if ([...(facts.units.get('default')?.uses ?? [])].some((one) => writers.has(idOf(fileOf(id), one))))
      return undefined;
    const all = this.#count(facts, kept, writers);
    const countUntil = (length: number): number =>
      this.#count(partialFacts(fileOf(id), handler.until(length)), kept, writers);
    if (countUntil(handler.length) < all) return undefined;
    let length = handler.length;
    while (length > 0 && countUntil(length - 1) === all) length--;
    return this.#sliceOf(id, handler.until(length));
  }

  /** How often it writes, or mentions what does. */
  #count(facts: Facts, kept: Kept, writers: ReadonlySet<UnitId>): number {
    const { reads = [], handed = [] } = facts.flow({ kind: 'wrappers' }) ?? {};
    const { imports = [] } = facts.units.get('default') ?? {};
    const isWriting = (id: UnitId): boolean => writers.has(id);
    const direct = reads.filter(
      (read) =>
        this.values.writtenBy(read).some((one) => nameOf(one) === nameOf(kept)) ||
        this.graph.behind(read.key, read.member).some(isWriting),
    );
    const given = handed.filter(({ key }) => key === kept.key);
    const called = imports.filter(
      (one) => isEnding(one) || importedUnits(this.graph, facts.file, one).some(isWriting),
    );
    return direct.length + given.length + called.length;
  }

  #handlerOf(id: UnitId): Handler | undefined {
    const facts = this.graph.modules.get(fileOf(id));
    if (unitOf(id) !== 'default' || !facts) return undefined;
    if (!this.#handlers.has(facts.file)) this.#handlers.set(facts.file, Handler.of(facts.file, facts.text));
    return this.#handlers.get(facts.file);
  }

  #sliceOf(id: UnitId, text: string): Slice | undefined {
    const slice = sliceOf(this.graph, id, text);
    const reads = slice?.reads.filter(({ key }) => this.values.keys.includes(key)) ?? [];
    return slice && { ...slice, reads };
  }
}

/** What is known of a change so far, where what a slice says is asked for. */
interface Known {
  has(id: UnitId): boolean;
  readonly told: readonly Kept[];
}

/** Whether what a slice decides may be another than it was. */
const isTouched = ({ mentions, reads }: Slice, { has, told }: Known): boolean =>
  mentions.some(has) || reads.some((read) => told.some((kept) => finds(read, kept)));
