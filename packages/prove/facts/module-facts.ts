import { Analysis, languageOf } from './analysis.js';
import { type Entrance, type Facts, keyOf, type Stream } from './facts.js';
import { CTX, propertiesOf } from './flow.js';
import { isWrapped } from './known-calls.js';
import { findLeaves } from './leaves.js';
import { printOf } from './print.js';
import { type ModuleState, mayHaveState, STATELESS_MODULE, stateIn } from './state.js';
import type { Node } from './syntax.js';
import { interfaceOf } from './units.js';
import { findUses, UnitFacts } from './uses.js';

const cache = new Map<string, Facts>();

/** The facts of a module. Remembers those of the last text of each file. */
export function factsOf(file: string, text: string): Facts {
  const known = cache.get(file);
  if (known?.text === text) return known;
  const facts = new ModuleFacts(file, text);
  cache.set(file, facts);
  return facts;
}

/** The trees that were used last. Those of thousands of modules would fill the memory, and one is parsed again within a millisecond. */
const trees = new Map<Facts, Analysis>();
const KEPT_TREES = 8;

function keep(facts: Facts, analysis: Analysis): void {
  trees.delete(facts);
  trees.set(facts, analysis);
  const [oldest] = trees.keys();
  if (trees.size > KEPT_TREES && oldest) trees.delete(oldest);
}

/** What a module does with the `ctx` of an entrance, and whether a graph has asked for it. */
interface Flowing {
  readonly entrance: Entrance;
  readonly stream: Stream | undefined;
  isAsked: boolean;
}

/** The facts of a text that is no version of a file, but a part of one. */
export const partialFacts = (file: string, text: string): Facts => new ModuleFacts(file, text);

const NOTHING: Stream = { reads: [], handed: [], passes: [], holds: [], losses: [] };

class ModuleFacts implements Facts {
  readonly error: Facts['error'];
  readonly imports: Facts['imports'];
  readonly bare: Facts['bare'];
  readonly exports: Facts['exports'];
  readonly stars: Facts['stars'];
  readonly units: Facts['units'];
  readonly members: readonly string[];
  readonly holders: readonly string[];
  readonly properties: ReadonlySet<string>;
  readonly #flows = new Map<string, Flowing>();
  /** Which parameters are changed, as far as it has been asked: by unit and index. */
  readonly #changed = new Map<string, boolean>();
  #shape: string | undefined;
  #state: ModuleState | undefined;

  constructor(
    readonly file: string,
    readonly text: string,
  ) {
    const analysis = new Analysis(file, text);
    const { program, names, parts } = analysis;
    keep(this, analysis);
    this.error = analysis.error;
    const { imports, bare, exports, stars } = interfaceOf(program, names, parts);
    this.imports = imports;
    this.bare = bare;
    this.exports = exports;
    this.stars = stars;
    this.members = parts.members;
    this.holders = parts.holders;
    this.properties = propertiesOf(names);
    this.units = unitsOf(file, analysis);
    this.#state = mayHaveState(names, parts) ? undefined : STATELESS_MODULE;
    // What nearly all graphs ask for, while the tree is there.
    const seeds = this.#keep({ kind: 'wrappers' }, analysis.flow({ kind: 'wrappers' }));
    seeds.isAsked = true;
    if (isWrapped(program, names)) this.#keep({ kind: 'convention' }, NOTHING).isAsked = true;
    this.#foresee(analysis, seeds.stream);
  }

  flow(entrance: Entrance): Stream | undefined {
    const known = this.#flows.get(keyOf(entrance)) ?? this.#keep(entrance, this.#tree().flow(entrance));
    known.isAsked = true;
    return known.stream;
  }

  changes(unit: string, index: number): boolean {
    const key = `${unit} ${index}`;
    const found = this.#changed.get(key) ?? (this.units.has(unit) && this.#tree().changes(unit, index));
    this.#changed.set(key, found);
    return found;
  }

  isLike(other: Facts): boolean {
    if (!(other instanceof ModuleFacts) || this.#shapeOf() !== other.#shapeOf()) return false;
    for (const [key, isChanged] of this.#changed) {
      const at = key.lastIndexOf(' ');
      if (other.changes(key.slice(0, at), Number(key.slice(at + 1))) !== isChanged) return false;
    }
    return [...this.#flows.values()].every(
      ({ entrance, stream, isAsked }) => !isAsked || shapeOf(stream) === shapeOf(other.flow(entrance)),
    );
  }

  state(): ModuleState {
    if (this.#state) return this.#state;
    const { names, parts } = this.#tree();
    this.#state = stateIn(names, parts);
    return this.#state;
  }

  print(unit: string): string {
    if (!languageOf(this.file)) return this.text;
    const { program, parts, names } = this.#tree();
    return printOf(program, parts, names, unit);
  }

  /** Follow `ctx` from where it is likely to come in: what is asked for when the tree is gone costs another one. */
  #foresee(analysis: Analysis, seeds: Stream | undefined): void {
    const todo = [...analysis.likely([...this.exports.values()]), ...this.#heldIn(seeds)];
    if (this.properties.has('ctx')) todo.push({ kind: 'property', name: 'ctx', value: CTX });
    for (const entrance of todo)
      if (!this.#flows.has(keyOf(entrance)))
        todo.push(...this.#heldIn(this.#keep(entrance, analysis.flow(entrance)).stream));
  }

  /** The properties of the module itself that hold what came in. */
  #heldIn(stream: Stream | undefined): Entrance[] {
    return (stream?.holds ?? [])
      .filter(({ property }) => this.properties.has(property))
      .map(({ property: name, value }) => ({ kind: 'property', name, value }));
  }

  #keep(entrance: Entrance, stream: Stream | undefined): Flowing {
    const flowing: Flowing = { entrance, stream, isAsked: false };
    this.#flows.set(keyOf(entrance), flowing);
    return flowing;
  }

  #shapeOf(): string {
    const { error, imports, bare, exports, stars, units, members, holders, properties } = this;
    this.#shape ??= shapeOf({ error, imports, bare, exports, stars, units, members, holders, properties });
    return this.#shape;
  }

  #tree(): Analysis {
    const analysis = trees.get(this) ?? new Analysis(this.file, this.text);
    keep(this, analysis);
    return analysis;
  }
}

/** As a text, without where in the module it stands. */
const shapeOf = (found: unknown): string =>
  JSON.stringify(found, (key, value: unknown) => {
    if (key === 'line' || key === 'isWritten') return undefined;
    return value instanceof Set || value instanceof Map ? [...value] : value;
  }) ?? '';

function unitsOf(file: string, analysis: Analysis): ReadonlyMap<string, UnitFacts> {
  const { names, parts } = analysis;
  const units = new Map<string, UnitFacts>();
  for (const part of parts.parts.values()) units.set(part.name, new UnitFacts(file, part));
  findUses(names, parts, units);
  const unit = (at: Node): UnitFacts => units.get(parts.of(at)) as UnitFacts;
  findLeaves(names, {
    env: (at, name) => unit(at).add('env', name),
    builtin: (at, name) => unit(at).add('builtins', name.replace(/^(node:)?/, 'node:')),
    net: (at, name) => unit(at).add('net', name),
    view: (at, name) => unit(at).add('views', name),
    later: (at, specifier) => unit(at).add('later', specifier),
    lose: (at, why, isModule = false) => unit(at).lose({ line: analysis.lineOf(at.start), why, isModule }),
  });
  return units;
}
