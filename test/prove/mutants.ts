import { parseSync, Visitor } from 'oxc-parser';

// Ways to weaken a module, made of its syntax tree: every operator wherever it fits.

/** A module that is no longer what it was. */
export interface Mutant {
  /** What was done: `"!member.admin" → "true"`. */
  readonly name: string;
  readonly text: string;
}

interface Spanned {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Edit = readonly [node: Spanned, replacement: string];

/** All mutants of a module's functions: of what it imports and declares nothing is changed. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const edits: Edit[] = [];
  const source = ({ start, end }: Spanned): string => text.slice(start, end);
  const add = (node: Spanned, ...replacements: readonly string[]): void => {
    for (const one of replacements) if (one !== source(node)) edits.push([node, one]);
  };
  const statements = (body: readonly Spanned[]): void => {
    for (const [index, one] of body.entries()) {
      if (one.type !== 'VariableDeclaration') add(one, ';');
      const next = body[index + 1];
      if (!next) continue;
      const both = { type: 'both', start: one.start, end: next.end };
      add(both, `${source(next)}\n${source(one)}`);
    }
  };
  const condition = (test: Spanned): void => add(test, 'true', 'false', `!(${source(test)})`);
  new Visitor({
    ArrowFunctionExpression: ({ body, async }) => {
      const [first] = body.type === 'BlockStatement' ? body.body : [];
      // The handler runs before anything is asked.
      if (first && /\bnext\(\)/.test(text))
        add({ ...first, end: first.start }, async ? 'await next();\n' : 'next();\n');
    },
    BlockStatement: ({ body }) => statements(body),
    IfStatement: ({ test, consequent }) => {
      condition(test);
      add(consequent, ';');
    },
    ConditionalExpression: ({ test }) => condition(test),
    LogicalExpression: (node) => {
      const [left, right] = [source(node.left), source(node.right)];
      add(node, left, right, `${left} ${node.operator === '&&' ? '||' : '&&'} ${right}`);
    },
    BinaryExpression: (node) => {
      const turned: Readonly<Record<string, string>> = { '===': '!==', '!==': '===', '<': '>=', '>': '<=' };
      const operator = turned[node.operator];
      if (operator !== undefined) add(node, `${source(node.left)} ${operator} ${source(node.right)}`);
    },
    UnaryExpression: (node) => {
      if (node.operator === '!') add(node, source(node.argument));
    },
    ThrowStatement: (node) => add(node, `void (${source(node.argument)});`),
    ReturnStatement: (node) => {
      if (node.argument) add(node, `${source(node.argument)};`, 'return;');
    },
    AwaitExpression: (node) => add(node, source(node.argument)),
    MemberExpression: (node) => {
      if (!node.computed && node.object.type === 'Identifier') add(node, source(node.object));
    },
    Literal: (node) => {
      if (typeof node.value === 'number') add(node, String(node.value === 500 ? 501 : 500));
    },
  }).visit(parseSync(file, text).program);
  const known = new Set([text]);
  return edits.flatMap(([node, replacement]) => {
    const mutated = text.slice(0, node.start) + replacement + text.slice(node.end);
    if (known.has(mutated)) return [];
    known.add(mutated);
    const shown = (code: string): string => JSON.stringify(code.replace(/\s+/g, ' ').trim());
    return [{ name: `${shown(source(node))} → ${shown(replacement)}`, text: mutated }];
  });
}
