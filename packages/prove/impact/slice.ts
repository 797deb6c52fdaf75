import { Analysis } from '../facts/analysis.js';
import { fileOf, idOf, type Read, type UnitId, unitOf } from '../facts/facts.js';
import { MADE } from '../facts/flow.js';
import { partialFacts } from '../facts/module-facts.js';
import type { Binding, Names } from '../facts/names.js';
import { bare, type FunctionNode, isFunction, type Node, someChild, walk } from '../facts/syntax.js';
import { INIT } from '../facts/units.js';
import { InPlace } from '../facts/value-use.js';
import type { Graph } from '../graph/graph.js';

/** What a part of a unit says, and what it leads to. */
export interface Slice {
  readonly print: string;
  /** Units that it mentions, itself or over ctx. */
  readonly mentions: readonly UnitId[];
  readonly reads: readonly Omit<Read, 'line'>[];
}

/** A unit in a text that has a part of its module; undefined where it cannot be followed. */
export function sliceOf(graph: Graph, id: UnitId, text: string): Slice | undefined {
  const file = fileOf(id);
  const facts = partialFacts(file, text);
  const unit = facts.units.get(unitOf(id));
  const stream = facts.flow({ kind: 'wrappers' });
  if (facts.error || !unit || !stream || unit.blind.length > 0 || stream.losses.length > 0) return undefined;
  const reads = stream.reads.filter((read) => read.unit === unit.name);
  const later = [...unit.later].map((specifier) => ({ specifier, name: '*' }));
  return {
    print: facts.print(unit.name),
    mentions: [
      idOf(file, INIT),
      ...[...unit.uses].map((name) => idOf(file, name)),
      ...[...unit.imports, ...later].flatMap((one) => importedUnits(graph, file, one)),
      ...reads.flatMap(({ key, member, isAssigned }) => graph.behind(key, isAssigned ? MADE : member)),
    ].sort(),
    reads,
  };
}

/** What an import of a module stands for, with what runs on import, and all members of what is made by it. */
export function importedUnits(
  graph: Graph,
  file: string,
  { specifier, name }: { readonly specifier: string; readonly name: string },
): readonly UnitId[] {
  const to = graph.destinations.get(file)?.get(specifier);
  if (to?.kind !== 'file') return [];
  const units = graph.exported(to.file, name);
  const members = units.flatMap((id) => {
    const { holders = [], members: all = [] } = graph.modules.get(fileOf(id)) ?? {};
    return holders.includes(unitOf(id)) ? all.map((one) => idOf(fileOf(id), one)) : [];
  });
  return [idOf(to.file, INIT), ...units, ...members];
}

/** Whether two versions say the same, and lead to the same. */
export const isSame = (one: Slice, other: Slice): boolean =>
  one.print === other.print && one.mentions.join() === other.mentions.join();

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A handler, and how its text reads where what comes after a point of it is left out. */
export class Handler {
  readonly #text: string;
  readonly #names: Names;
  readonly #made: FunctionNode;
  readonly #statements: readonly Node[];

  private constructor(text: string, names: Names, made: FunctionNode, statements: readonly Node[]) {
    this.#text = text;
    this.#names = names;
    this.#made = made;
    this.#statements = statements;
  }

  /** The one function that stands in the default export of a module; undefined where there are more, or where it is one expression. */
  static of(file: string, text: string): Handler | undefined {
    const { program, names, error } = new Analysis(file, text);
    const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
    if (error || !exported) return undefined;
    const found: FunctionNode[] = [];
    walk(exported, (node) => {
      if (!isFunction(node)) return undefined;
      found.push(node);
      return false;
    });
    const [made] = found;
    if (!made || found.length > 1 || made.body?.type !== 'BlockStatement') return undefined;
    return new Handler(text, names, made, made.body.body);
  }

  get length(): number {
    return this.#statements.length;
  }

  /** How many statements there are up to the last that mentions parameter `index`; none where it has no such parameter. */
  untilParameter(index: number): number {
    const parameter = this.#made.params[index];
    if (parameter && parameter.type !== 'Identifier') return this.length;
    const last = Math.max(-1, ...this.#referencesOf(index).map(({ start }) => start));
    return this.#statements.findLastIndex(({ start }) => start <= last) + 1;
  }

  /**
   * The text of the module with the first `count` statements of the handler: without those after, but for what changes something
   * that these use, and without what is answered where it ends before. What mentions parameter `kept` stays.
   */
  until(count: number, kept?: number): string {
    const first = this.#withLaterChanges(count);
    const dropped: Change[] = this.#statements
      .slice(first)
      .filter(({ type }) => type !== 'FunctionDeclaration')
      .map(({ start, end }) => ({ start, end, text: '' }));
    const mentions = kept === undefined ? [] : this.#referencesOf(kept);
    for (const one of this.#statements.slice(0, first))
      dropped.push(
        ...answersIn(one).filter(
          ({ start, end }) => !mentions.some((at) => at.start >= start && at.end <= end),
        ),
      );
    dropped.push(...this.#saidOnlyIn(dropped));
    let text = this.#text;
    for (const { start, end, text: put } of dropped.sort((a, b) => b.start - a.start))
      text = `${text.slice(0, start)}${put}${text.slice(end)}`;
    return text;
  }

  /** What constants say that are mentioned in these alone: `const problem = 'Not known.';`. */
  #saidOnlyIn(dropped: readonly Change[]): Change[] {
    const isIn = (at: Node): boolean => dropped.some(({ start, end }) => start <= at.start && at.end <= end);
    return this.#locals().flatMap(({ declaration, references, isAssigned }) => {
      if (declaration.type !== 'VariableDeclarator' || isAssigned || isIn(declaration)) return [];
      const { init } = declaration;
      if (!init || !isPlain(init) || !references.every(isIn)) return [];
      return [{ start: init.start, end: init.end, text: '0' }];
    });
  }

  #referencesOf(index: number): readonly Node[] {
    const parameter = this.#made.params[index];
    return (parameter && this.#names.bindings.get(parameter)?.references) ?? [];
  }

  /** What is kept stays the same object, and a function of the handler may be what writes: a later statement may change or call it. */
  #withLaterChanges(count: number): number {
    const inPlace = new InPlace(this.#names, (at, parent) => 'callee' in parent && parent.callee !== at);
    let kept = count;
    for (let before = -1; before !== kept; ) {
      before = kept;
      const end = this.#statements[kept - 1]?.end ?? 0;
      for (const { declaration, references } of this.#locals())
        if (declaration.start < end || declaration.type === 'FunctionDeclaration')
          for (const one of references)
            if (one.start >= end && (isCallable(declaration) || inPlace.isChanged(one)))
              kept = Math.max(kept, this.#statements.findLastIndex(({ start }) => start <= one.start) + 1);
    }
    return kept;
  }

  #locals(): readonly Binding[] {
    const { start, end } = this.#made;
    return this.#names.all.filter(
      ({ declaration }) =>
        (declaration.type === 'VariableDeclarator' || declaration.type === 'FunctionDeclaration') &&
        declaration.start >= start &&
        declaration.end <= end,
    );
  }
}

/** What does nothing but be there. */
const PLAIN: ReadonlySet<Node['type']> = new Set([
  'Literal',
  'TemplateLiteral',
  'TemplateElement',
  'Identifier',
  'ObjectExpression',
  'Property',
  'ArrayExpression',
]);

const isPlain = (node: Node): boolean => PLAIN.has(node.type) && !someChild(node, (child) => !isPlain(child));

const isCallable = (declaration: Node): boolean =>
  declaration.type !== 'VariableDeclarator' || isFunction(declaration.init);

/** What a handler gives back, or throws, before its end. */
function answersIn(statement: Node): Change[] {
  const found: Change[] = [];
  walk(statement, (node) => {
    if (isFunction(node)) return false;
    if (node.type !== 'ReturnStatement' && node.type !== 'ThrowStatement') return undefined;
    const { argument, type } = node;
    if (argument && statement !== node)
      found.push({ start: argument.start, end: argument.end, text: type === 'ThrowStatement' ? '0' : '' });
    return false;
  });
  return found;
}

/** The text of a route without its handler: what it says of itself. Undefined where that cannot be told apart. */
export function withoutHandler(file: string, text: string): string | undefined {
  const { program, error } = new Analysis(file, text);
  const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
  if (error || exported?.type !== 'ExportDefaultDeclaration') return undefined;
  let node: Node = bare(exported.declaration);
  // get(…).meta({ … })
  while (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    const inner = bare(node.callee.object);
    if (inner.type !== 'CallExpression') break;
    node = inner;
  }
  const handler = node.type === 'CallExpression' ? node.arguments.at(-1) : undefined;
  return handler && `${text.slice(0, handler.start)}() => {}${text.slice(handler.end)}`;
}
