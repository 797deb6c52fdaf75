import { boundBy, eachChild, isClass, isFunction, type Node, type Of } from './syntax.js';

/** What refers to a value by its name: in JSX, `<Page />` does, too. */
export type Identifier = Of<'Identifier'> | Of<'JSXIdentifier'>;

/** A name of a module, and everything that mentions it. */
export interface Binding {
  readonly name: string;
  /** What declares it: a declarator, function, class, parameter pattern, import specifier, enum or namespace. */
  readonly declaration: Node;
  /** How often it is declared: functions and `var` may be more than once. */
  declarations: number;
  /** Whether something else than its declaration gives it a value. */
  isAssigned: boolean;
  readonly references: Identifier[];
}

/** The names of a module, resolved as the language does. */
export interface Names {
  /** What an identifier refers to; undefined for globals. */
  readonly bindings: ReadonlyMap<Node, Binding>;
  readonly all: readonly Binding[];
  /** The names of the module itself. */
  readonly top: ReadonlyMap<string, Binding>;
  /** Identifiers that refer to nothing that the module declares. */
  readonly globals: readonly Identifier[];
  /** Functions that read `arguments`. */
  readonly variadic: ReadonlySet<Node>;
  /** All nodes but types, parents first. */
  readonly nodes: readonly Node[];
}

interface Scope {
  readonly names: Map<string, Binding>;
  readonly parent: Scope | undefined;
  /** Where `var` goes: a function, or the module. */
  readonly isFunction: boolean;
  readonly node: Node;
}

const opensBlock = (node: Node): boolean =>
  node.type === 'BlockStatement' ||
  node.type === 'ForStatement' ||
  node.type === 'ForInStatement' ||
  node.type === 'ForOfStatement' ||
  node.type === 'SwitchStatement' ||
  node.type === 'CatchClause' ||
  node.type === 'StaticBlock' ||
  node.type === 'TSModuleBlock';

/** Resolve the names of a program, and give each node its parent. */
export function resolveNames(program: Of<'Program'>): Names {
  const nodes: Node[] = [];
  const bindings = new Map<Node, Binding>();
  const all: Binding[] = [];
  const pending: (readonly [identifier: Identifier, scope: Scope])[] = [];
  const top: Scope = { names: new Map(), parent: undefined, isFunction: true, node: program };

  const declare = (scope: Scope, identifier: Identifier, declaration: Node): void => {
    const known = scope.names.get(identifier.name);
    if (known) known.declarations++;
    const { name } = identifier;
    const binding = known ?? { name, declaration, declarations: 1, isAssigned: false, references: [] };
    if (!known) all.push(binding);
    scope.names.set(identifier.name, binding);
    bindings.set(identifier, binding);
  };
  const declareAll = (scope: Scope, pattern: Node, declaration: Node): void => {
    for (const one of boundBy(pattern)) declare(scope, one, declaration);
  };
  const functionScope = (scope: Scope): Scope => {
    let at = scope;
    while (!at.isFunction && at.parent) at = at.parent;
    return at;
  };

  const enter = (node: Node, scope: Scope, key: string): void => {
    nodes.push(node);
    let inner = scope;
    if (isFunction(node)) {
      if (node.id && node.type === 'FunctionDeclaration') declare(scope, node.id, node);
      inner = { names: new Map(), parent: scope, isFunction: true, node };
      if (node.id && node.type === 'FunctionExpression') declare(inner, node.id, node);
      for (const parameter of node.params) declareAll(inner, parameter, parameter);
    } else if (isClass(node)) {
      if (node.id && node.type === 'ClassDeclaration') declare(scope, node.id, node);
      if (node.id && node.type === 'ClassExpression') {
        inner = { names: new Map(), parent: scope, isFunction: false, node };
        declare(inner, node.id, node);
      }
    } else if (opensBlock(node)) {
      inner = { names: new Map(), parent: scope, isFunction: node.type === 'StaticBlock', node };
      if (node.type === 'CatchClause' && node.param) declareAll(inner, node.param, node.param);
    } else if (node.type === 'VariableDeclaration') {
      const target = node.kind === 'var' ? functionScope(scope) : scope;
      for (const one of node.declarations) declareAll(target, one.id, one);
    } else if (node.type === 'TSEnumDeclaration') declare(scope, node.id, node);
    else if (node.type === 'TSModuleDeclaration' && node.id.type === 'Identifier')
      declare(scope, node.id, node);
    else if (
      node.type === 'ImportSpecifier' ||
      node.type === 'ImportDefaultSpecifier' ||
      node.type === 'ImportNamespaceSpecifier'
    )
      declare(top, node.local, node);
    else if ((node.type === 'Identifier' || node.type === 'JSXIdentifier') && isReference(node, key))
      pending.push([node, scope]);
    eachChild(node, (child, childKey) => {
      child.parent = node;
      enter(child, inner, childKey);
    });
  };
  enter(program, top, '');

  const variadic = new Set<Node>();
  const globals: Identifier[] = [];
  for (const [identifier, from] of pending) {
    if (bindings.has(identifier)) continue;
    let scope: Scope | undefined = from;
    while (scope && !scope.names.has(identifier.name)) scope = scope.parent;
    const binding = scope?.names.get(identifier.name);
    if (binding) {
      bindings.set(identifier, binding);
      binding.references.push(identifier);
      if (isWritten(identifier)) binding.isAssigned = true;
    } else if (identifier.name !== 'arguments') globals.push(identifier);
    else {
      let at: Scope | undefined = from;
      while (at && !(isFunction(at.node) && at.node.type !== 'ArrowFunctionExpression')) at = at.parent;
      if (at) variadic.add(at.node);
    }
  }
  return { bindings, all, top: top.names, globals, variadic, nodes };
}

/** Whether an identifier stands for a value: neither the name of a property nor a label. */
function isReference({ parent }: Identifier, key: string): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return key === 'object' || parent.computed;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'AccessorProperty':
      return key === 'value' || parent.computed;
    case 'ExportSpecifier':
      return key === 'local' && !isReexport(parent.parent);
    case 'JSXAttribute':
    case 'JSXNamespacedName':
    case 'JSXClosingElement':
      return false;
    case 'JSXMemberExpression':
      return key === 'object';
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return key !== 'label';
    case 'TSEnumMember':
      return key === 'initializer';
    case 'MetaProperty':
    case 'ImportSpecifier':
    case 'ImportAttribute':
    case 'ExportAllDeclaration':
      return false;
    default:
      return true;
  }
}

const isReexport = (node: Node | undefined | null): boolean =>
  node?.type === 'ExportNamedDeclaration' && node.source !== null;

/** Whether a reference is what an assignment, or a loop, gives a value to. */
function isWritten(identifier: Identifier): boolean {
  for (let at: Node = identifier, parent = at.parent; parent; at = parent, parent = at.parent ?? undefined) {
    if (parent.type === 'AssignmentExpression') return parent.left === at;
    if (parent.type === 'ForInStatement' || parent.type === 'ForOfStatement') return parent.left === at;
    if (parent.type === 'UpdateExpression') return true;
    const isPattern =
      parent.type === 'ObjectPattern' ||
      parent.type === 'ArrayPattern' ||
      parent.type === 'RestElement' ||
      (parent.type === 'AssignmentPattern' && parent.left === at) ||
      (parent.type === 'Property' && parent.value === at);
    if (!isPattern) return false;
  }
  return false;
}
