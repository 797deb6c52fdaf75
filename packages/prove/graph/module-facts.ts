import { parseSync } from 'oxc-parser';
import { exportedBindings, interfaceOf } from './exports.js';
import { declarationBehind } from './factory.js';
import type { Blind, Entrance, Facts, Stream, Unit } from './facts.js';
import { Flow } from './flow.js';
import type { Followed, Target } from './followed.js';
import { findLeaves } from './leaves.js';
import { printOf } from './print.js';
import { propertiesOf, propertyFlow } from './properties.js';
import { type Binding, type Names, resolveNames } from './scopes.js';
import { Seeds } from './seeds.js';
import { type ClassNode, type FunctionNode, isFunction, type Node, type Of } from './syntax.js';
import { Partition } from './units.js';
import { findUses } from './uses.js';

type Writable<List> = List extends readonly (infer Item)[] ? Item[] : never;
type Filling = { readonly [Part in keyof Stream]: Writable<Stream[Part]> };

const cache = new Map<string, Facts>();

/** The facts of a module. Remembers those of the last text of each file. */
export function factsOf(file: string, text: string): Facts {
  const known = cache.get(file);
  if (known?.text === text) return known;
  const facts = new ModuleFacts(file, text);
  cache.set(file, facts);
  return facts;
}

class ModuleFacts implements Facts {
  readonly error: Facts['error'];
  readonly imports: Facts['imports'];
  readonly bare: Facts['bare'];
  readonly exports: Facts['exports'];
  readonly stars: Facts['stars'];
  readonly units = new Map<string, Unit>();
  readonly members: readonly string[];
  readonly holders: readonly string[];
  readonly properties: ReadonlySet<string>;
  readonly #program: Of<'Program'>;
  readonly #names: Names;
  readonly #parts: Partition;
  readonly #exported: ReadonlySet<Binding>;
  readonly #streams = new Map<string, Stream | undefined>();
  #lines: number[] | undefined;

  constructor(
    readonly file: string,
    readonly text: string,
  ) {
    const lang = languageOf(file);
    const { program, errors } = parseSync(file, lang ? text : '', {
      lang: lang ?? 'js',
      sourceType: 'module',
    });
    const [error] = errors;
    this.error = error && { message: error.message, line: this.lineOf(error.labels[0]?.start ?? 0) };
    this.#program = program;
    this.#names = resolveNames(program);
    this.#parts = new Partition(program, this.#names);
    const { imports, bare, exports, stars } = interfaceOf(program, this.#names, this.#parts);
    this.imports = imports;
    this.bare = bare;
    this.exports = exports;
    this.stars = stars;
    this.members = this.#parts.members;
    this.holders = this.#parts.holders;
    this.properties = propertiesOf(this.#names);
    this.#exported = exportedBindings(program, this.#names);
    for (const part of this.#parts.parts.values()) this.units.set(part.name, { ...part, ...nothing() });
    findUses(this.#names, this.#parts, this.units);
    this.#findLeaves();
  }

  flow(entrance: Entrance): Stream | undefined {
    const key = JSON.stringify(entrance);
    if (!this.#streams.has(key)) this.#streams.set(key, this.#flow(entrance));
    return this.#streams.get(key);
  }

  print(unit: string): string {
    return languageOf(this.file) ? printOf(this.#program, this.#parts, unit) : this.text;
  }

  /** The line of an offset in the text, from 1. */
  lineOf(offset: number): number {
    this.#lines ??= [...this.text.matchAll(/\n/g)].map(({ index }) => index);
    let [low, high] = [0, this.#lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  #flow(entrance: Entrance): Stream | undefined {
    const stream: Filling = { reads: [], passes: [], holds: [], losses: [] };
    const watcher = {
      read: (at: Node, key: string, member: string): void =>
        void stream.reads.push({ ...this.#place(at), key, member }),
      pass: (at: Node, target: Target, index: number, value: Followed): void =>
        void stream.passes.push({ ...this.#place(at), target, index, value }),
      hold: (property: string, value: Followed): void => void stream.holds.push({ property, value }),
      lose: (at: Node, why: string): void => {
        const { unit, line } = this.#place(at);
        stream.losses.push({ unit, blind: { line, why: `ctx ${why}`, isModule: false } });
      },
    };
    const flow = new Flow(this.#names, watcher, this.#exported);
    const seeds = new Seeds(this.#names, flow, watcher, this.text);
    if (entrance.kind === 'wrappers') seeds.known();
    else if (entrance.kind === 'convention') this.#convention(seeds, entrance.unit);
    else if (entrance.kind === 'property') propertyFlow(this.#names, flow, entrance.name, entrance.value);
    else {
      const target = this.#callable(entrance.unit);
      if (!target) return undefined;
      flow.parameter(target, entrance.index, entrance.value);
    }
    return stream;
  }

  #convention(seeds: Seeds, unit: string | undefined): void {
    const binding = unit === undefined ? undefined : this.#names.top.get(unit);
    const identifier = binding && identifierOf(binding, this.#names);
    if (identifier) seeds.convention(identifier);
    else seeds.conventions(this.#program);
  }

  #place(at: Node): { readonly unit: string; readonly line: number } {
    return { unit: this.#parts.of(at), line: this.lineOf(at.start) };
  }

  /** The one function or class that a unit is. */
  #callable(unit: string): FunctionNode | ClassNode | undefined {
    const member = this.#parts.factory?.members.find(([name]) => `default.${name}` === unit)?.[1];
    if (member)
      return 'value' in member && isFunction(member.value as Node)
        ? (member.value as FunctionNode)
        : undefined;
    if (unit === 'default') {
      const exported = this.#program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
      return exported?.type === 'ExportDefaultDeclaration'
        ? declarationBehind(exported.declaration, this.#names.bindings)
        : undefined;
    }
    const binding = this.#names.top.get(unit);
    const identifier = binding && identifierOf(binding, this.#names);
    return identifier && declarationBehind(identifier, this.#names.bindings);
  }

  #findLeaves(): void {
    const unit = (at: Node): Unit => this.units.get(this.#parts.of(at)) as Unit;
    findLeaves(this.#names, {
      env: (at, name) => void unit(at).env.add(name),
      builtin: (at, name) => void unit(at).builtins.add(name.replace(/^(node:)?/, 'node:')),
      net: (at, name) => void unit(at).net.add(name),
      view: (at, name) => void unit(at).views.add(name),
      later: (at, specifier) => void unit(at).later.add(specifier),
      lose: (at, why, isModule = false) =>
        void unit(at).blind.push({ line: this.lineOf(at.start), why, isModule }),
    });
  }
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

/** Undefined for a file that is no module, such as JSON. */
function languageOf(file: string): 'ts' | 'tsx' | 'js' | 'jsx' | undefined {
  if (/\.[cm]?ts$/.test(file)) return 'ts';
  if (/\.[cm]?js$/.test(file)) return 'js';
  if (file.endsWith('.tsx')) return 'tsx';
  return file.endsWith('.jsx') ? 'jsx' : undefined;
}

/** An identifier that a binding is declared by. */
function identifierOf(binding: Binding, { bindings }: Names): Node | undefined {
  for (const [node, one] of bindings) if (one === binding) return node;
  return undefined;
}
