import {
  type ArrowFunctionExpression,
  type Class,
  type Node,
  type Function as PlainFunction,
  visitorKeys,
} from 'oxc-parser';

export type { Node } from 'oxc-parser';

/** A node of one type: `Of<'CallExpression'>`. */
export type Of<Type extends Node['type'], One extends Node = Node> = One extends Node
  ? Type extends One['type']
    ? One
    : never
  : never;

export type FunctionNode = PlainFunction | ArrowFunctionExpression;

export type ClassNode = Class;

/** A node, by whose properties those below it are found. */
export type Indexed = Node & Record<string, Node | readonly (Node | null)[] | null | undefined>;

export const isList: (child: Node | readonly (Node | null)[]) => child is readonly (Node | null)[] =
  Array.isArray;

export const isType = (node: Node): boolean => kindOf(node).isType;

/** Call `visit` with each node right below `node`, in order; types are left out. */
export function eachChild(node: Node, visit: (child: Node, key: string) => void): void {
  for (const key of kindOf(node).keys) {
    const child = (node as Indexed)[key];
    if (!child) continue;
    if (isList(child)) {
      for (const one of child) if (one && !isType(one)) visit(one, key);
    } else if (!isType(child)) visit(child, key);
  }
}

/** Whether one of the nodes right below `node` is `wanted`; types are left out. */
export function someChild(node: Node, wanted: (child: Node) => boolean): boolean {
  for (const key of kindOf(node).keys) {
    const child = (node as Indexed)[key];
    if (!child) continue;
    if (isList(child)) {
      for (const one of child) if (one && !isType(one) && wanted(one)) return true;
    } else if (!isType(child) && wanted(child)) return true;
  }
  return false;
}

export const isFunction = (node: Node | null | undefined): node is FunctionNode =>
  node?.type === 'ArrowFunctionExpression' ||
  node?.type === 'FunctionExpression' ||
  node?.type === 'FunctionDeclaration';

export const isClass = (node: Node | null | undefined): node is ClassNode =>
  node?.type === 'ClassDeclaration' || node?.type === 'ClassExpression';

/** Whether the value of a node is that of the one right below it: `(x)`, `x as T`, `x!`, `a?.b`. */
export const isTransparent = (node: Node): boolean =>
  node.type === 'ParenthesizedExpression' ||
  node.type === 'TSAsExpression' ||
  node.type === 'TSSatisfiesExpression' ||
  node.type === 'TSTypeAssertion' ||
  node.type === 'TSNonNullExpression' ||
  node.type === 'TSInstantiationExpression' ||
  node.type === 'ChainExpression';

/** The expression in parentheses and type assertions. */
export function bare(node: Node): Node {
  let inner = node;
  while (isTransparent(inner) && 'expression' in inner && typeof inner.expression === 'object')
    inner = inner.expression as Node;
  return inner;
}

/** A text that is known without running anything; undefined where it is computed. */
export function constantText(given: Node): string | undefined {
  const node = bare(given);
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : String(node.value);
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

/** The name of a property: `a.b`, `a['b']`, `{ b: … }`, `#b`; undefined where it is computed. */
export function propertyName(key: Node, computed: boolean): string | undefined {
  if (computed) return constantText(key);
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  return constantText(key);
}

export const memberName = (node: Of<'MemberExpression'>): string | undefined =>
  propertyName(node.property, node.computed);

/** The first node around `node` that is `wanted`. */
export function around<Found extends Node>(
  node: Node,
  wanted: (node: Node) => node is Found,
): Found | undefined {
  for (let at = node.parent; at; at = at.parent) if (wanted(at)) return at;
  return undefined;
}

/** The identifiers that a pattern binds. */
export function boundBy(pattern: Node): Of<'Identifier'>[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern];
    case 'ObjectPattern':
      return pattern.properties.flatMap((one) =>
        boundBy(one.type === 'RestElement' ? one.argument : one.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((one) => (one ? boundBy(one) : []));
    case 'AssignmentPattern':
      return boundBy(pattern.left);
    case 'RestElement':
      return boundBy(pattern.argument);
    case 'TSParameterProperty':
      return boundBy(pattern.parameter);
    default:
      return [];
  }
}

/** Calls of one function, one after the other for all nodes below `root`, and not below those for which `visit` returns false. */
export function walk(root: Node, visit: (node: Node) => boolean | undefined): void {
  if (visit(root) === false) return;
  eachChild(root, (child) => walk(child, visit));
}

/** What all nodes of a type have in common. */
export interface NodeKind {
  readonly type: Node['type'];
  /** Whether nothing is left of such a node when the program runs. */
  readonly isType: boolean;
  /** Properties that may have nodes in them, but for those that have types alone. */
  readonly keys: readonly string[];
}

/** TypeScript's own nodes that have a value when the program runs; what is below the others are types. */
const VALUES = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
  'TSNonNullExpression',
  'TSInstantiationExpression',
  'TSParameterProperty',
  'TSEnumDeclaration',
  'TSEnumBody',
  'TSEnumMember',
  'TSModuleDeclaration',
  'TSModuleBlock',
  'TSExportAssignment',
]);

/** Properties that have types alone in them, in all nodes that have a value. */
const OF_TYPES = new Set([
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'superTypeArguments',
  'implements',
]);

const kindFor = (type: string, keys: readonly string[]): NodeKind => ({
  type: type as Node['type'],
  isType: type.startsWith('TS') && !VALUES.has(type),
  keys: keys.filter((key) => !OF_TYPES.has(key)),
});

const kinds = new Map(Object.entries(visitorKeys).map(([type, keys]) => [type, kindFor(type, keys)]));

export function kindOf({ type }: Node): NodeKind {
  const known = kinds.get(type);
  if (known) return known;
  const kind = kindFor(type, []);
  kinds.set(type, kind);
  return kind;
}
