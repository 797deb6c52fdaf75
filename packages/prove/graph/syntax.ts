import { visitorKeys } from 'oxc-parser';

/** A node of a syntax tree. It has only the properties of its type, so readers check the type first. */
export interface Node
  extends Readonly<Record<'id' | 'key' | 'value' | 'object' | 'property' | 'callee' | 'left', Node>>,
    Readonly<Record<'right' | 'test' | 'body' | 'argument' | 'handler' | 'expression' | 'source', Node>>,
    Readonly<Record<'init' | 'declaration' | 'superClass' | 'local' | 'exported' | 'imported', Node>>,
    Readonly<Record<'arguments' | 'params' | 'properties' | 'elements' | 'declarations', readonly Node[]>>,
    Readonly<Record<'expressions' | 'quasis' | 'specifiers', readonly Node[]>>,
    Readonly<Record<'type' | 'name' | 'kind' | 'operator' | 'cooked' | 'raw', string>>,
    Readonly<Record<'start' | 'end', number>>,
    Readonly<Record<'computed' | 'static', boolean>> {
  parent: Node;
  /** The result of `childrenOf`. */
  children?: Children;
  readonly param?: Node;
  readonly parameter?: Node;
  readonly regex?: { readonly pattern: string; readonly flags: string };
}

export const isFunction = (node: Node | undefined | null): boolean =>
  /^(Function(Declaration|Expression)|ArrowFunctionExpression)$/.test(node?.type ?? '');
export const isCall = ({ type }: Node): boolean => type === 'CallExpression' || type === 'NewExpression';
export const isClass = ({ type }: Node): boolean => type === 'ClassDeclaration' || type === 'ClassExpression';
const AT_RUN_TIME =
  /^TS(As|Satisfies|TypeAssertion|NonNull|Instantiation|ParameterProperty|Enum|Module|Export|Import)/;
const OF_TYPES = /^(typeAnnotation|returnType|typeParameters|typeArguments|superTypeArguments|implements)$/;

function isType(node: Node): boolean {
  const { declare, importKind, exportKind } = node as Node & Record<string, unknown>;
  return (
    (node.type.startsWith('TS') && !AT_RUN_TIME.test(node.type)) ||
    declare === true ||
    importKind === 'type' ||
    exportKind === 'type'
  );
}

/** The child nodes of a node without types, each with the name of the property that holds it. */
export function childrenOf(node: Node): Children {
  if (node.children) return node.children;
  const found: (readonly [Node, string])[] = [];
  const fields: object = node;
  for (const key of visitorKeys[node.type] ?? []) {
    const held = (fields as Readonly<Record<string, Node | (Node | null)[] | null | undefined>>)[key];
    for (const child of Array.isArray(held) ? held : [held])
      if (child && !isType(child) && !OF_TYPES.test(key)) found.push([child, key]);
  }
  node.children = found;
  return found;
}

type Children = readonly (readonly [child: Node, key: string])[];

const WRAPPING =
  /^((Parenthesized|Chain|Await|TS(As|Satisfies|NonNull|Instantiation))Expression|TSTypeAssertion)$/;

/** Removes parentheses, type assertions and `await` around an expression. */
export const bare = (node: Node): Node =>
  WRAPPING.test(node.type) ? bare(node.expression ?? node.argument) : node;
/** Adds them. */
export const outer = (node: Node): Node =>
  node.parent && WRAPPING.test(node.parent.type) ? outer(node.parent) : node;
export const above = (node: Node): Node => outer(node).parent;

/** The text of a literal, a template without expressions, or `'a' + 'b'`. */
export function textOf(given: Node | undefined | null): string | undefined {
  const node = given && bare(given);
  const literal: unknown = node?.value;
  if (node?.type === 'Literal') return literal === null || node.regex ? undefined : String(literal);
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked;
  const [left, right] = node?.operator === '+' && node.left ? [textOf(node.left), textOf(node.right)] : [];
  return left === undefined || right === undefined ? undefined : left + right;
}

/** The name of a property, method or member; undefined if it is computed. */
export function keyName({ key, property, computed }: Node): string | undefined {
  const name = key ?? property;
  if (!name || (!computed && name.type === 'Identifier')) return name?.name;
  return name.type === 'PrivateIdentifier' ? `#${name.name}` : textOf(name);
}

export const nameOf = (node: Node): string => node.name ?? textOf(node) ?? '';

/** The expression `a.b` around `a`. */
export function memberOf(node: Node): Node | undefined {
  const parent = above(node);
  return parent?.type === 'MemberExpression' && parent.object === outer(node) ? parent : undefined;
}

/** The call around the function that is called. */
export function callOf(node: Node): Node | undefined {
  const parent = above(node);
  return parent && isCall(parent) && parent.callee === outer(node) ? parent : undefined;
}

/** The first expression of a chain of members and calls, `a` of `(await a.b()).c`, and the member names, `b` and `c`. */
export function rootOf(node: Node): { readonly root: Node; readonly members: readonly string[] } {
  const at = bare(node);
  if (at.type !== 'MemberExpression' && at.type !== 'CallExpression') return { root: at, members: [] };
  const { root, members } = rootOf(at.object ?? at.callee);
  return { root, members: at.type === 'CallExpression' ? members : [...members, keyName(at) ?? '*'] };
}

/** Finds the innermost node around a node, or the node itself, that passes a test. */
export function closest(node: Node, isFound: (one: Node) => boolean): Node | undefined {
  for (let at: Node | undefined = node; at; at = at.parent) if (isFound(at)) return at;
  return undefined;
}

/** `bus` for `#bus` and `_bus`: fields often have the name of the service that they hold. */
export const plainName = (name: string): string => name.replace(/^[#_]+/, '');

/** The names that a pattern binds, each with the properties on the path to it: `...` for a rest, `[]` for an element. */
export function boundBy(
  pattern: Node | null | undefined,
  path: readonly string[] = [],
): { path: readonly string[]; id: Node }[] {
  if (!pattern || pattern.type === 'Identifier') return pattern ? [{ path, id: pattern }] : [];
  if (pattern.properties)
    return pattern.properties.flatMap((one) =>
      boundBy(one.value ?? one.argument, [...path, keyName(one) ?? '...']),
    );
  if (pattern.elements) return pattern.elements.flatMap((one) => boundBy(one, [...path, '[]']));
  return boundBy(pattern.left ?? pattern.argument ?? pattern.parameter, path);
}

export interface Binding {
  readonly kind: 'import' | 'param' | 'variable' | 'declaration';
  /** The declaration, or the function that has the parameter. */
  readonly node: Node;
  readonly fn?: Node | undefined;
  readonly path?: readonly string[];
  /** The initial value, or the value that a loop iterates over. */
  readonly init?: Node | undefined;
  readonly isLoop?: boolean;
  /** The position of a parameter. */
  readonly index?: number;
  /** The module of an import, and the name there: `*` for a namespace. */
  readonly specifier?: string;
  readonly imported?: string;
}

export interface Scope {
  readonly names: Map<string, Binding>;
  readonly up: Scope | undefined;
  readonly fn: Node | undefined;
}

export function bindingOf(node: Node, scope: Scope): Binding | undefined {
  for (let at: Scope | undefined = node.type === 'Identifier' ? scope : undefined; at; at = at.up)
    if (at.names.has(node.name)) return at.names.get(node.name);
  return undefined;
}

const BLOCKS =
  /^(BlockStatement|For(In|Of)?Statement|SwitchStatement|CatchClause|StaticBlock|ClassExpression|Program)$/;

/** Finds the scope that each node opens, and the identifiers that declare names. Sets the parent of each node. */
export function scopesOf(program: Node): { at: ReadonlyMap<Node, Scope>; declaring: ReadonlySet<Node> } {
  const at = new Map<Node, Scope>();
  const declaring = new Set<Node>();
  const declare = (to: Scope, pattern: Node | null | undefined, binding: Binding): void => {
    for (const { id, path } of boundBy(pattern)) {
      declaring.add(id);
      if (!to.names.has(id.name)) to.names.set(id.name, { fn: to.fn, path, ...binding });
    }
  };
  const visit = (node: Node, outside: Scope | undefined): void => {
    const isOpening = isFunction(node) || BLOCKS.test(node.type);
    const opened = { names: new Map(), up: outside, fn: isFunction(node) ? node : outside?.fn };
    const inner = isOpening || !outside ? opened : outside;
    const scope = outside ?? inner;
    if (isOpening) at.set(node, inner);
    if (isFunction(node) || isClass(node) || node.type === 'TSEnumDeclaration')
      declare(node.type.endsWith('Expression') ? inner : scope, node.id, { kind: 'declaration', node });
    for (const [index, param] of (node.params ?? [node.param]).entries())
      declare(inner, param, { kind: 'param', node, index });
    let target = scope;
    while (node.kind === 'var' && target.up && target.up.fn === target.fn) target = target.up;
    const isLoop = /^For(In|Of)/.test(node.parent?.type);
    for (const one of node.declarations ?? [])
      declare(target, one.id, {
        kind: 'variable',
        node: one,
        init: isLoop ? node.parent.right : one.init,
        isLoop,
      });
    for (const one of node.type === 'ImportDeclaration' ? node.specifiers : []) {
      const whole = one.type === 'ImportDefaultSpecifier' ? 'default' : '*';
      const imported = one.imported ? nameOf(one.imported) : whole;
      if (!isType(one))
        declare(scope, one.local, { kind: 'import', node: one, specifier: nameOf(node.source), imported });
    }
    for (const [child] of childrenOf(node)) {
      child.parent = node;
      visit(child, inner);
    }
  };
  visit(program, undefined);
  return { at, declaring };
}
