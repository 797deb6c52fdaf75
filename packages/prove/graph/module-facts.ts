import { Analysis, languageOf } from './analysis.js';
import { keyOf } from './entrance.js';
import { interfaceOf } from './exports.js';
import type { Blind, Entrance, Facts, Stream, Unit } from './facts.js';
import { isWrapped } from './is-wrapped.js';
import { findLeaves } from './leaves.js';
import { printOf } from './print.js';
import { propertiesOf } from './properties.js';
import type { Node } from './syntax.js';
import { findUses } from './uses.js';

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
const KEPT_TREES = 32;

function keep(facts: Facts, analysis: Analysis): void {
  trees.delete(facts);
  trees.set(facts, analysis);
  const [oldest] = trees.keys();
  if (trees.size > KEPT_TREES && oldest) trees.delete(oldest);
}

const NOTHING: Stream = { reads: [], passes: [], holds: [], losses: [] };

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
  readonly #streams = new Map<string, Stream | undefined>();
  /** All that streams have been asked for, by key. */
  readonly #entrances = new Map<string, Entrance>();
  #shape: string | undefined;

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
    this.units = unitsOf(analysis);
    // What nearly all graphs ask for, while the tree is there.
    this.#keep({ kind: 'wrappers' }, analysis.flow({ kind: 'wrappers' }));
    if (isWrapped(program, names)) this.#keep({ kind: 'convention' }, NOTHING);
  }

  flow(entrance: Entrance): Stream | undefined {
    const key = keyOf(entrance);
    if (!this.#streams.has(key)) this.#keep(entrance, this.#tree().flow(entrance));
    return this.#streams.get(key);
  }

  isLike(other: Facts): boolean {
    if (!(other instanceof ModuleFacts) || this.#shapeOf() !== other.#shapeOf()) return false;
    return [...this.#entrances].every(
      ([key, entrance]) => shapeOf(this.#streams.get(key)) === shapeOf(other.flow(entrance)),
    );
  }

  print(unit: string): string {
    if (!languageOf(this.file)) return this.text;
    const { program, parts, names } = this.#tree();
    return printOf(program, parts, names, unit);
  }

  #keep(entrance: Entrance, stream: Stream | undefined): void {
    const key = keyOf(entrance);
    this.#entrances.set(key, entrance);
    this.#streams.set(key, stream);
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
    if (key === 'line' || key === 'spans') return undefined;
    return value instanceof Set || value instanceof Map ? [...value] : value;
  }) ?? '';

function unitsOf(analysis: Analysis): ReadonlyMap<string, Unit> {
  const { names, parts } = analysis;
  const units = new Map<string, Unit>();
  for (const part of parts.parts.values()) units.set(part.name, { ...part, ...nothing() });
  findUses(names, parts, units);
  const unit = (at: Node): Unit => units.get(parts.of(at)) as Unit;
  findLeaves(names, {
    env: (at, name) => void unit(at).env.add(name),
    builtin: (at, name) => void unit(at).builtins.add(name.replace(/^(node:)?/, 'node:')),
    net: (at, name) => void unit(at).net.add(name),
    view: (at, name) => void unit(at).views.add(name),
    later: (at, specifier) => void unit(at).later.add(specifier),
    lose: (at, why, isModule = false) =>
      void unit(at).blind.push({ line: analysis.lineOf(at.start), why, isModule }),
  });
  return units;
}

const nothing = () => ({
  uses: new Set<string>(),
  imports: [],
  later: new Set<string>(),
  env: new Set<string>(),
  views: new Set<string>(),
  builtins: new Set<string>(),
  net: new Set<string>(),
  blind: [] as Blind[],
});
