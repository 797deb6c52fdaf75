import { Analysis } from '../graph/analysis.js';
import { InPlace } from '../graph/in-place.js';
import type { Binding, Names } from '../graph/names.js';
import { type FunctionNode, isFunction, type Node, someChild, walk } from '../graph/syntax.js';

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
