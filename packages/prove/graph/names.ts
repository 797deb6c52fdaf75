import type { Imported } from './imported.js';
import { kindOf, type NodeKind } from './node-kinds.js';
import { isReference, isWritten } from './references.js';
import { functionAround, readerOfArguments, type Scope, scopeIn, visibleIn } from './scopes.js';
import { boundBy, type Indexed, isList, type Node, type Of } from './syntax.js';

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
