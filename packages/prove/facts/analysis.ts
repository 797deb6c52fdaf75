import { parseSync } from 'oxc-parser';
import { declarationBehind, declarationOf } from './factory.js';
import type { Entrance, Facts, Stream } from './facts.js';
import { CTX, Flow, type Followed, MADE, propertyFlow, type Target } from './flow.js';
import { makes } from './known-calls.js';
import { type Binding, type Names, resolveNames } from './names.js';
import { Seeds } from './seeds.js';
import { bare, type ClassNode, type FunctionNode, isFunction, type Node, type Of } from './syntax.js';
import { type Export, exportedBindings, Partition } from './units.js';
import { type Call, changesParameter, handedTo, UNUSED, useOf } from './value-use.js';

type Writable<List> = List extends readonly (infer Item)[] ? Item[] : never;
type Filling = { readonly [Part in keyof Stream]: Writable<Stream[Part]> };

/** The syntax tree of a module, with its names and units. It is large: facts keep what is found in it, and not the tree. */
export class Analysis {
  readonly program: Of<'Program'>;
  readonly names: Names;
  readonly parts: Partition;
  /** Why the module cannot be parsed; undefined where it can. */
  readonly error: Facts['error'];
  readonly #exported: ReadonlySet<Binding>;
  #lines: number[] | undefined;

  constructor(
    file: string,
    private readonly text: string,
  ) {
    const lang = languageOf(file);
    const { program, errors } = parseSync(file, lang ? text : '', {
      lang: lang ?? 'js',
      sourceType: 'module',
    });
    const [error] = errors;
    this.error = error && { message: error.message, line: this.lineOf(error.labels[0]?.start ?? 0) };
    this.program = program;
    this.names = resolveNames(program);
    this.parts = new Partition(program, this.names);
    this.#exported = exportedBindings(program, this.names);
  }

  /** Where the `ctx` of an entrance goes; undefined where it comes to no one function or class. */
  flow(entrance: Entrance): Stream | undefined {
    const stream: Filling = { reads: [], handed: [], passes: [], holds: [], losses: [] };
    const give = (call: Call, { path, key }: Followed, index: number): void => {
      const target = path.length === 0 && key !== undefined ? handedTo(call, this.names) : undefined;
      if (target && key !== undefined) stream.handed.push({ ...this.#place(call), key, target, index });
    };
    const watcher = {
      read: (at: Node, key: string, member: string): void => {
        // What is done with a value that is made here is told by what follows.
        const { isWriting, isAssigned, given } = member === MADE ? UNUSED : useOf(at, this.names);
        stream.reads.push({
          ...this.#place(at),
          key,
          member,
          ...(isWriting ? { isWriting } : {}),
          ...(isAssigned ? { isAssigned } : {}),
        });
        if (given) give(given.call, { path: [], key }, given.index);
      },
      give,
      pass: (at: Node, target: Target, index: number, value: Followed): void =>
        void stream.passes.push({ ...this.#place(at), target, index, value }),
      hold: (property: string, value: Followed): void => void stream.holds.push({ property, value }),
      lose: (at: Node, why: string): void => {
        const { unit, line } = this.#place(at);
        stream.losses.push({ unit, blind: { line, why: `ctx ${why}`, isModule: false } });
      },
    };
    const flow = new Flow(this.names, watcher, this.#exported);
    const seeds = new Seeds(this.names, flow, watcher, this.text);
    if (entrance.kind === 'wrappers') seeds.known();
    else if (entrance.kind === 'convention') this.#convention(seeds, entrance.unit);
    else if (entrance.kind === 'property') propertyFlow(this.names, flow, entrance.name, entrance.value);
    else {
      const target = this.#callable(entrance.unit);
      if (!target) return this.#isData(entrance.unit) ? stream : undefined;
      flow.parameter(target, entrance.index, entrance.value);
    }
    return stream;
  }

  /** Entrances that others are likely to hand `ctx` to: parameters of that name of what the module exports. */
  likely(exported: Iterable<Export>): Entrance[] {
    const found: Entrance[] = [];
    for (const one of exported) {
      const target = 'unit' in one ? this.#callable(one.unit) : undefined;
      if ('unit' in one && isFunction(target))
        for (const [index, parameter] of target.params.entries())
          if (parameter.type === 'Identifier' && parameter.name === 'ctx')
            found.push({ kind: 'parameter', unit: one.unit, index, value: CTX });
    }
    return found;
  }

  /** Whether the function that a unit is changes what it gets as parameter `index`. */
  changes(unit: string, index: number): boolean {
    const target = this.#callable(unit);
    return isFunction(target) && changesParameter(target, index, this.names);
  }

  /** The line of an offset in the text, from 1. */
  lineOf(offset: number): number {
    this.#lines ??= breaksIn(this.text);
    let [low, high] = [0, this.#lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  #convention(seeds: Seeds, unit: string | undefined): void {
    const identifier = unit === undefined ? undefined : this.#identifier(unit);
    if (identifier) seeds.convention(identifier);
    else seeds.conventions(this.program);
  }

  #place(at: Node): { readonly unit: string; readonly line: number } {
    return { unit: this.parts.of(at), line: this.lineOf(at.start) };
  }

  /** The one function or class that a unit is. */
  #callable(unit: string): FunctionNode | ClassNode | undefined {
    const { bindings } = this.names;
    const [member, ...others] =
      this.parts.factory?.members.filter(([name]) => `default.${name}` === unit) ?? [];
    if (others.length > 0) return undefined;
    if (member) {
      const [, node] = member;
      const value = 'value' in node ? node.value : undefined;
      return isFunction(value as Node | undefined) ? (value as FunctionNode) : undefined;
    }
    if (unit === 'default') {
      const exported = this.program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
      return exported?.type === 'ExportDefaultDeclaration'
        ? declarationBehind(exported.declaration, bindings)
        : undefined;
    }
    const binding = this.names.top.get(unit);
    return binding && declarationOf(binding, bindings);
  }

  /** Whether a unit is certain to be nothing that can be called: a text, a schema. */
  #isData(unit: string): boolean {
    const binding = this.names.top.get(unit);
    const { declaration } = binding ?? {};
    if (binding?.isAssigned || declaration?.type !== 'VariableDeclarator' || !declaration.init) return false;
    const init = bare(declaration.init);
    if (init.type === 'CallExpression') return makes(init.callee, this.names);
    return init.type === 'Literal' || init.type === 'TemplateLiteral';
  }

  /** An identifier that a name of the module is declared by. */
  #identifier(name: string): Node | undefined {
    const binding = this.names.top.get(name);
    for (const [node, one] of this.names.bindings) if (one === binding) return node;
    return undefined;
  }
}

function breaksIn(text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) found.push(at);
  return found;
}

/** Undefined for a file that is no module, such as JSON. */
export function languageOf(file: string): 'ts' | 'tsx' | 'js' | 'jsx' | undefined {
  if (/\.[cm]?ts$/.test(file)) return 'ts';
  if (/\.[cm]?js$/.test(file)) return 'js';
  if (file.endsWith('.tsx')) return 'tsx';
  return file.endsWith('.jsx') ? 'jsx' : undefined;
}
