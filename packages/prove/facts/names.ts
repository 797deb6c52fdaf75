import {
  bare,
  boundBy,
  constantText,
  type Indexed,
  isFunction,
  isList,
  kindOf,
  memberName,
  type Node,
  type NodeKind,
  type Of,
  propertyName,
} from './syntax.js';

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
  /** The export of another module that it is, which `importOf` finds out once; null where it is none. */
  imported: Imported | null | undefined;
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
  /** The nodes that more is asked of than what they are called (`TELLING`), parents first. */
  readonly nodes: readonly Node[];
}

/** Those that run, that read a property or that make a function: a fifth of all, which each look at a module goes through. */
const TELLING: ReadonlySet<string> = new Set([
  ...['CallExpression', 'NewExpression', 'ImportExpression', 'MemberExpression', 'ThisExpression'],
  ...['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration', 'Property'],
]);

/** Resolve the names of a program, and give each node its parent. */
export function resolveNames(program: Of<'Program'>): Names {
  const resolver = new Resolver(program);
  resolver.enter(program, kindOf(program), resolver.module, '');
  resolver.refer();
  const { bindings, all, module, globals, variadic, nodes } = resolver;
  return { bindings, all, top: module.names, globals, variadic, nodes };
}

class Resolver {
  readonly nodes: Node[] = [];
  readonly bindings = new Map<Node, Binding>();
  readonly all: Binding[] = [];
  readonly globals: Identifier[] = [];
  readonly variadic = new Set<Node>();
  readonly module: Scope;
  readonly #mentions: (readonly [identifier: Identifier, scope: Scope])[] = [];

  constructor(program: Of<'Program'>) {
    this.module = scopeIn(undefined, program, true);
  }

  enter(node: Node, kind: NodeKind, scope: Scope, key: string): void {
    if (TELLING.has(kind.type)) this.nodes.push(node);
    const inner = this.#declared(node, scope, key);
    for (const name of kind.keys) {
      const child = (node as Indexed)[name];
      if (!child) continue;
      if (!isList(child)) this.#below(child, node, inner, name);
      else for (const one of child) if (one) this.#below(one, node, inner, name);
    }
  }

  /** Find what the identifiers mean, when all names are known. */
  refer(): void {
    for (const [identifier, from] of this.#mentions) {
      if (this.bindings.has(identifier)) continue;
      const binding = visibleIn(from, identifier.name);
      if (binding) {
        this.bindings.set(identifier, binding);
        binding.references.push(identifier);
        if (isWritten(identifier)) binding.isAssigned = true;
      } else if (identifier.name !== 'arguments') this.globals.push(identifier);
      else {
        const reader = readerOfArguments(from);
        if (reader) this.variadic.add(reader);
      }
    }
  }

  #below(child: Node, parent: Node, scope: Scope, key: string): void {
    const kind = kindOf(child);
    if (kind.isType) return;
    // The parser makes a text of its own for each node. One that all share is compared at once.
    (child as { type: Node['type'] }).type = kind.type;
    child.parent = parent;
    this.enter(child, kind, scope, key);
  }

  /** Declare the names of a node. Returns the scope of what is below it. */
  #declared(node: Node, scope: Scope, key: string): Scope {
    switch (node.type) {
      case 'Identifier':
      case 'JSXIdentifier':
        if (isReference(node.parent, key)) this.#mentions.push([node, scope]);
        return scope;
      case 'FunctionDeclaration':
        if (node.id) this.#declare(scope, node.id, node);
        return this.#withParameters(node, scopeIn(scope, node, true));
      case 'FunctionExpression': {
        const inner = scopeIn(scope, node, true);
        if (node.id) this.#declare(inner, node.id, node);
        return this.#withParameters(node, inner);
      }
      case 'ArrowFunctionExpression':
        return this.#withParameters(node, scopeIn(scope, node, true));
      case 'ClassDeclaration':
        if (node.id) this.#declare(scope, node.id, node);
        return scope;
      case 'ClassExpression': {
        if (!node.id) return scope;
        const inner = scopeIn(scope, node, false);
        this.#declare(inner, node.id, node);
        return inner;
      }
      case 'BlockStatement':
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'SwitchStatement':
      case 'TSModuleBlock':
        return scopeIn(scope, node, false);
      case 'StaticBlock':
        return scopeIn(scope, node, true);
      case 'CatchClause': {
        const inner = scopeIn(scope, node, false);
        if (node.param) this.#declareAll(inner, node.param, node.param);
        return inner;
      }
      case 'VariableDeclaration': {
        const target = node.kind === 'var' ? functionAround(scope) : scope;
        for (const one of node.declarations) this.#declareAll(target, one.id, one);
        return scope;
      }
      case 'TSEnumDeclaration':
        this.#declare(scope, node.id, node);
        return scope;
      case 'TSModuleDeclaration':
        if (node.id.type === 'Identifier') this.#declare(scope, node.id, node);
        return scope;
      case 'ImportSpecifier':
      case 'ImportDefaultSpecifier':
      case 'ImportNamespaceSpecifier':
        this.#declare(this.module, node.local, node);
        return scope;
      default:
        return scope;
    }
  }

  #withParameters({ params }: { readonly params: readonly Node[] }, inner: Scope): Scope {
    for (const one of params) this.#declareAll(inner, one, one);
    return inner;
  }

  #declareAll(scope: Scope, pattern: Node, declaration: Node): void {
    for (const one of boundBy(pattern)) this.#declare(scope, one, declaration);
  }

  #declare({ names }: Scope, identifier: Identifier, declaration: Node): void {
    const { name } = identifier;
    let binding = names.get(name);
    if (binding) binding.declarations++;
    else {
      binding = {
        name,
        declaration,
        declarations: 1,
        isAssigned: false,
        references: [],
        imported: undefined,
      };
      names.set(name, binding);
      this.all.push(binding);
    }
    this.bindings.set(identifier, binding);
  }
}

/** Whether an identifier stands for a value: neither the name of a property nor a label. `key`: where its parent has it. */
function isReference(parent: Node | undefined, key: string): boolean {
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
export function isWritten(reference: Node): boolean {
  for (let at: Node = reference, parent = at.parent; parent; at = parent, parent = at.parent ?? undefined) {
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

/** An export of another module, by the specifier of an import. `name` is `*` for the whole module. */
export interface Imported {
  readonly specifier: string;
  readonly name: string;
}

export const WHOLE = '*';

/** The export of another module that a binding is; undefined where it is none. */
export function importOf(binding: Binding): Imported | undefined {
  if (binding.imported === undefined) binding.imported = findImport(binding) ?? null;
  return binding.imported ?? undefined;
}

function findImport({ declaration: node, name }: Binding): Imported | undefined {
  switch (node.type) {
    case 'ImportSpecifier':
      return from(node.parent, node.imported.type === 'Literal' ? node.imported.value : node.imported.name);
    case 'ImportDefaultSpecifier':
      return from(node.parent, 'default');
    case 'ImportNamespaceSpecifier':
      return from(node.parent, WHOLE);
    case 'VariableDeclarator':
      return node.init ? ofDynamic(node.id, node.init, name) : undefined;
    default:
      return undefined;
  }
}

const from = (node: Node | null | undefined, name: string): Imported | undefined =>
  node?.type === 'ImportDeclaration' ? { specifier: node.source.value, name } : undefined;

/** `const { a } = await import('./b.js')`, `const b = await import('./b.js')`. */
function ofDynamic(pattern: Node, init: Node, name: string): Imported | undefined {
  const awaited = bare(init);
  if (awaited.type !== 'AwaitExpression') return undefined;
  const imported = bare(awaited.argument);
  if (imported.type !== 'ImportExpression') return undefined;
  const specifier = constantText(imported.source);
  if (specifier === undefined) return undefined;
  if (pattern.type === 'Identifier') return { specifier, name: WHOLE };
  if (pattern.type !== 'ObjectPattern') return undefined;
  for (const one of pattern.properties)
    if (one.type === 'Property' && one.value.type === 'Identifier' && one.value.name === name) {
      const key = propertyName(one.key, one.computed);
      return key === undefined ? undefined : { specifier, name: key };
    }
  return undefined;
}

/** The export of another module that an expression stands for: `get`, `fwk.get`. */
export function importedBy(given: Node, { bindings }: Names): Imported | undefined {
  const node = bare(given);
  if (node.type === 'Identifier') {
    const binding = bindings.get(node);
    return binding && !binding.isAssigned ? importOf(binding) : undefined;
  }
  if (node.type !== 'MemberExpression') return undefined;
  const object = bare(node.object);
  const space = object.type === 'Identifier' ? bindings.get(object) : undefined;
  const whole = space && !space.isAssigned ? importOf(space) : undefined;
  const name = memberName(node);
  return whole?.name === WHOLE && name !== undefined ? { specifier: whole.specifier, name } : undefined;
}

/** The package that a specifier names: `@fwkit/cron`, `zod`. */
export function packageOf(specifier: string): string {
  const scope = specifier.startsWith('@') ? specifier.indexOf('/') : -1;
  const end = specifier.startsWith('@') && scope < 0 ? -1 : specifier.indexOf('/', scope + 1);
  return end < 0 ? specifier : specifier.slice(0, end);
}

/** A part of a module with names of its own. */
interface Scope {
  readonly names: Map<string, Binding>;
  readonly parent: Scope | undefined;
  /** Where `var` goes: a function, or the module. */
  readonly isFunction: boolean;
  readonly node: Node;
}

const scopeIn = (parent: Scope | undefined, node: Node, isFunction: boolean): Scope => ({
  names: new Map(),
  parent,
  isFunction,
  node,
});

/** Where `var` goes that stands in a scope. */
function functionAround(scope: Scope): Scope {
  let at = scope;
  while (!at.isFunction && at.parent) at = at.parent;
  return at;
}

/** What a name means in a scope. */
function visibleIn(from: Scope, name: string): Binding | undefined {
  for (let at: Scope | undefined = from; at; at = at.parent) {
    const found = at.names.get(name);
    if (found) return found;
  }
  return undefined;
}

/** The function whose `arguments` are read in a scope. */
function readerOfArguments(from: Scope): Node | undefined {
  let at: Scope | undefined = from;
  while (at && !(isFunction(at.node) && at.node.type !== 'ArrowFunctionExpression')) at = at.parent;
  return at?.node;
}
