import { visitorKeys } from 'oxc-parser';

type Child =
  | (
      | 'id'
      | 'key'
      | 'value'
      | 'object'
      | 'property'
      | 'callee'
      | 'left'
      | 'right'
      | 'test'
      | 'body'
      | 'argument'
      | 'handler'
    )
  | ('expression' | 'source' | 'init' | 'declaration' | 'superClass' | 'local' | 'exported' | 'imported')
  | ('parameter' | 'param');
type List = 'arguments' | 'params' | 'properties' | 'elements' | 'declarations' | 'expressions' | 'quasis';

/** A node of a syntax tree, typed loosely: it has the properties of its type, which readers check first. */
export interface Node
  extends Readonly<Record<Child, Node>>,
    Readonly<Record<List | 'specifiers', readonly Node[]>>,
    Readonly<Record<'type' | 'name' | 'kind' | 'operator' | 'cooked' | 'raw', string>>,
    Readonly<Record<'start' | 'end', number>>,
    Readonly<Record<'computed' | 'static', boolean>> {
  parent: Node;
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
  const isTyping = node.type.startsWith('TS') && !AT_RUN_TIME.test(node.type);
  return isTyping || declare === true || importKind === 'type' || exportKind === 'type';
}

const keysOf = new Map(
  Object.entries(visitorKeys).map(([type, keys]) => [type, keys.filter((key) => !OF_TYPES.test(key))]),
);

/** The nodes directly below `node`, each with the property that holds it. Types are left out. */
export function childrenOf(node: Node): readonly (readonly [child: Node, key: string])[] {
  const found: [Node, string][] = [];
  const fields: object = node;
  for (const key of keysOf.get(node.type) ?? [])
    for (const child of [(fields as Readonly<Record<string, Node | Node[] | null | undefined>>)[key]].flat())
      if (child && !isType(child)) found.push([child, key]);
  return found;
}

const WRAPPING =
  /^((Parenthesized|Chain|Await|TS(As|Satisfies|NonNull|Instantiation))Expression|TSTypeAssertion)$/;

/** The expression inside parentheses, type assertions and `await`; the outermost node of these around it; the node above that. */
export const bare = (node: Node): Node =>
  WRAPPING.test(node.type) ? bare(node.expression ?? node.argument) : node;
export const outer = (node: Node): Node =>
  node.parent && WRAPPING.test(node.parent.type) ? outer(node.parent) : node;
export const above = (node: Node): Node => outer(node).parent;

/** A text that is written in the code, `'a' + 'b'` included. */
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
  if (!computed && name.type === 'Identifier') return name.name;
  return name.type === 'PrivateIdentifier' ? `#${name.name}` : textOf(name);
}

export const nameOf = (node: Node): string => node.name ?? textOf(node) ?? '';

/** `a.b` for `a`, if a member of it is read. */
export function memberOf(node: Node): Node | undefined {
  const parent = above(node);
  return parent?.type === 'MemberExpression' && parent.object === outer(node) ? parent : undefined;
}

export function callOf(node: Node): Node | undefined {
  const parent = above(node);
  return parent && isCall(parent) && parent.callee === outer(node) ? parent : undefined;
}

/** The node that a chain of members and calls begins with, `a` in `(await a.b()).c`, and the names of the members, `b` and `c`. */
export function rootOf(node: Node): { readonly root: Node; readonly members: readonly string[] } {
  let at = bare(node);
  const members: string[] = [];
  while (at.type === 'MemberExpression' || at.type === 'CallExpression') {
    if (at.type === 'MemberExpression') members.unshift(keyName(at) ?? '*');
    at = bare(at.object ?? at.callee);
  }
  return { root: at, members };
}

/** `bus` for `#bus` and `_bus`: the name of a value of `ctx` in a field. */
export const plainName = (name: string): string => name.replace(/^[#_]+/, '');

/** Each name that a pattern binds, with the properties that lead to it: `...` for a rest, `[]` for an element. */
export function boundBy(
  pattern: Node | null,
  path: readonly string[] = [],
): { path: readonly string[]; id: Node }[] {
  if (!pattern || pattern.type === 'Identifier') return pattern ? [{ path, id: pattern }] : [];
  const keyOf = (one: Node): string => (one.key && keyName(one)) ?? '...';
  if (pattern.properties)
    return pattern.properties.flatMap((one) => boundBy(one.value ?? one.argument, [...path, keyOf(one)]));
  if (pattern.elements) return pattern.elements.flatMap((one) => boundBy(one, [...path, '[]']));
  return boundBy(pattern.left ?? pattern.argument ?? pattern.parameter ?? null, path);
}

/** The name by which others call a function: of a property, a method or `x.name = …`. */
export function methodName(fn: Node): string | undefined {
  const parent = above(fn);
  if (parent.type === 'AssignmentExpression' && parent.left.type === 'MemberExpression')
    return keyName(parent.left);
  const isMethod = /^(Property|PropertyDefinition|MethodDefinition)$/.test(parent.type);
  return isMethod && !/^(constructor|get)$/.test(parent.kind) ? keyName(parent) : undefined;
}

export interface Binding {
  readonly kind: 'import' | 'param' | 'variable' | 'declaration';
  /** The declaration; of a parameter, its function. */
  readonly node: Node;
  readonly fn?: Node | undefined;
  readonly path?: readonly string[];
  /** The initial value; of a loop, the value that is looped over. */
  readonly init?: Node | undefined;
  readonly isLoop?: boolean;
  readonly index?: number;
  /** Of an import: its module, and its name there, `*` for a namespace. */
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

/** Find the scope that each node opens and the nodes that declare names, and give each node its parent. */
export function scopesOf(program: Node): {
  readonly at: ReadonlyMap<Node, Scope>;
  readonly declaring: ReadonlySet<Node>;
} {
  const at = new Map<Node, Scope>();
  const declaring = new Set<Node>();
  const declare = (to: Scope, id: Node | null, binding: Binding): void => {
    if (id) declaring.add(id);
    if (id && !to.names.has(id.name)) to.names.set(id.name, { fn: to.fn, ...binding });
  };
  const visit = (node: Node, outside: Scope | undefined): void => {
    const isOpening = isFunction(node) || BLOCKS.test(node.type);
    const opened = { names: new Map(), up: outside, fn: isFunction(node) ? node : outside?.fn };
    const inner = isOpening || !outside ? opened : outside;
    const scope = outside ?? inner;
    if (isOpening) at.set(node, inner);
    if (isFunction(node) || isClass(node) || node.type === 'TSEnumDeclaration')
      declare(node.type.endsWith('Expression') ? inner : scope, node.id, { kind: 'declaration', node });
    for (const [index, param] of (node.params ?? [node.type === 'CatchClause' ? node.param : null]).entries())
      for (const { id, path } of boundBy(param)) declare(inner, id, { kind: 'param', node, index, path });
    let target = scope;
    while (node.kind === 'var' && target.up && target.up.fn === target.fn) target = target.up;
    const isLoop = /^For(In|Of)/.test(node.parent?.type);
    for (const one of node.declarations ?? [])
      for (const { id, path } of boundBy(one.id))
        declare(target, id, {
          kind: 'variable',
          node: one,
          init: isLoop ? node.parent.right : one.init,
          isLoop,
          path,
        });
    for (const one of node.type === 'ImportDeclaration' ? node.specifiers : []) {
      const imported = one.imported
        ? nameOf(one.imported)
        : one.type === 'ImportDefaultSpecifier'
          ? 'default'
          : '*';
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
