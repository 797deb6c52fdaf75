import { calledBy, parentOf } from './factory.js';
import type { Binding, Names } from './names.js';
import {
  boundBy,
  type ClassNode,
  type FunctionNode,
  isClass,
  isTransparent,
  memberName,
  type Node,
  type Of,
  propertyName,
} from './syntax.js';

/** Any member, or any key. */
export const ALL = '*';
/** That there is a value, which no member tells more of: `if (ctx.member)`. */
export const VALUE = '=';
/** That the value has been made, and not used. */
export const MADE = '';

/** What is followed: `ctx`, a value of it, or what holds one of them in a property. */
export interface Followed {
  /** The properties that lead to it: `['ctx']` for `{ ctx }`. */
  readonly path: readonly string[];
  /** Of `ctx`; undefined for `ctx` itself. */
  readonly key?: string | undefined;
}

export const CTX: Followed = { path: [] };

/** Where what is followed leaves a module. */
export type Target =
  | { readonly specifier: string; readonly name: string }
  | { readonly key: string; readonly member: string };

/** Who a value is handed to: an export of another module, or whatever is called by that name of something. */
export type Handed = { readonly specifier: string; readonly name: string } | { readonly method: string };

/** What is told of it on its way. */
export interface Watcher {
  read(at: Node, key: string, member: string): void;
  /** It is argument `index` of a call of what is not declared in the module. */
  give(call: Of<'CallExpression'> | Of<'NewExpression'>, value: Followed, index: number): void;
  /** It is handed to a function elsewhere, as its argument `index`. */
  pass(at: Node, target: Target, index: number, value: Followed): void;
  /** A property of that name holds it. */
  hold(property: string, value: Followed): void;
  /** It goes where it cannot be followed. */
  lose(at: Node, why: string): void;
}

/** What asks whether there is a value, and does nothing else with it. */
const ASKING: ReadonlySet<string> = new Set([
  ...['IfStatement', 'WhileStatement', 'DoWhileStatement', 'ForStatement', 'SwitchStatement', 'SwitchCase'],
  ...['UnaryExpression', 'ExpressionStatement'],
]);
const DEEPEST = 3;

/** Follows a value through one module, forward: whatever is not known to be harmless loses it. */
export class Flow {
  readonly #seen = new Map<Node, Set<string>>();

  constructor(
    private readonly names: Names,
    private readonly watcher: Watcher,
    /** Names that other modules may read. */
    private readonly exported: ReadonlySet<Binding> = new Set(),
  ) {}

  /** The value of an expression. */
  expression(node: Node, value: Followed): void {
    if (!this.#isNew(node, value)) return;
    const { parent } = node;
    if (!parent) return;
    if (isTransparent(parent) || parent.type === 'AwaitExpression') return this.expression(parent, value);
    if (ASKING.has(parent.type)) return this.#tested(node, value);
    switch (parent.type) {
      case 'ConditionalExpression':
        return parent.test === node ? this.#tested(node, value) : this.expression(parent, value);
      case 'LogicalExpression':
        if (parent.left === node) this.#tested(node, value);
        return this.expression(parent, value);
      case 'SequenceExpression':
        return parent.expressions.at(-1) === node ? this.expression(parent, value) : undefined;
      case 'BinaryExpression':
        return parent.operator === 'in'
          ? this.#lost(node, value, 'is asked for names')
          : this.#tested(node, value);
      case 'MemberExpression':
        return parent.object === node ? this.#member(parent, value) : this.#tested(node, value);
      case 'VariableDeclarator':
        return this.pattern(parent.id, value);
      case 'AssignmentPattern':
        return parent.right === node ? this.pattern(parent.left, value) : undefined;
      case 'AssignmentExpression':
        return this.#assigned(parent, node, value);
      case 'Property':
        return this.#property(parent, value);
      case 'CallExpression':
      case 'NewExpression':
        return parent.callee === node ? this.#called(node, value) : this.#argument(parent, node, value);
      default:
        return this.#lost(node, value, 'goes where it cannot be followed');
    }
  }

  /** What a pattern binds holds the value. */
  pattern(given: Node, value: Followed): void {
    switch (given.type) {
      case 'Identifier': {
        const binding = this.names.bindings.get(given);
        if (!binding) return this.#lost(given, value, 'is kept in a global name');
        if (value.path.length === 0 && value.key !== undefined) this.watcher.read(given, value.key, MADE);
        for (const one of binding.references) if (one !== given) this.expression(one, value);
        if (this.exported.has(binding)) this.#lost(given, value, 'is exported');
        return;
      }
      case 'AssignmentPattern':
        return this.pattern(given.left, value);
      case 'TSParameterProperty':
        for (const { name } of boundBy(given.parameter)) this.watcher.hold(name, value);
        return this.pattern(given.parameter, value);
      case 'MemberExpression':
        return this.#stored(given, value);
      case 'ObjectPattern':
        for (const one of given.properties) {
          if (one.type === 'RestElement') this.#lost(one, value, 'is taken apart: the rest of it');
          else {
            const name = propertyName(one.key, one.computed);
            if (name === undefined) this.#lost(one, value, 'is read by a computed name');
            else this.#step(name, value, one, (inner) => this.pattern(one.value, inner));
          }
        }
        return;
      default:
        return this.#lost(given, value, 'is taken apart');
    }
  }

  /** Parameter `index` of a function, or of the constructor of a class, is the value. */
  parameter(target: FunctionNode | ClassNode, index: number, value: Followed): void {
    if (isClass(target)) return this.#constructed(target, index, value);
    const parameter = target.params[index];
    if (this.names.variadic.has(target)) this.#lost(target, value, 'is in `arguments`');
    const last = target.params.at(-1);
    if (parameter && parameter.type !== 'RestElement') this.pattern(parameter, value);
    else if (last?.type === 'RestElement') this.#lost(last, value, 'is in a rest parameter');
  }

  #constructed(node: ClassNode, index: number, value: Followed): void {
    for (const one of node.body.body)
      if (one.type === 'MethodDefinition' && one.kind === 'constructor')
        return this.parameter(one.value, index, value);
    if (!node.superClass) return;
    const parent = parentOf(node, this.names.bindings);
    if (parent) this.parameter(parent, index, value);
    else this.#lost(node, value, 'is handed to a class with an unknown parent');
  }

  /** A property of what is followed. */
  #step(name: string, value: Followed, at: Node, then: (inner: Followed) => void): void {
    const [first, ...path] = value.path;
    if (first !== undefined) {
      if (first === name) then({ ...value, path });
    } else if (value.key === undefined) {
      this.watcher.read(at, name, MADE);
      then({ path: [], key: name });
    } else this.watcher.read(at, value.key, name);
  }

  #member(node: Of<'MemberExpression'>, value: Followed): void {
    const name = memberName(node);
    if (name === undefined) return this.#lost(node, value, 'is read by a computed name');
    this.#step(name, value, node, (inner) => this.expression(node, inner));
  }

  #assigned(node: Of<'AssignmentExpression'>, from: Node, value: Followed): void {
    if (node.left === from) return this.#tested(from, value);
    this.pattern(node.left, value);
    this.expression(node, value);
  }

  #stored(node: Of<'MemberExpression'>, value: Followed): void {
    const name = memberName(node);
    if (name === undefined) this.#lost(node, value, 'is stored under a computed name');
    else this.watcher.hold(name, value);
  }

  #property(node: Of<'Property'>, value: Followed): void {
    const object = node.parent;
    if (object?.type !== 'ObjectExpression') return;
    const name = propertyName(node.key, node.computed);
    if (name === undefined || value.path.length >= DEEPEST)
      return this.#lost(node, value, 'is put into an object that cannot be followed');
    // A method of the same object finds it in `this`.
    if (object.properties.some((one) => one.type === 'Property' && one.value.type === 'FunctionExpression'))
      this.watcher.hold(name, value);
    this.expression(object, { ...value, path: [name, ...value.path] });
  }

  /** `ctx.send(…)`, where `ctx.send` itself is a function. */
  #called(node: Node, { path, key }: Followed): void {
    if (path.length === 0 && key !== undefined) this.watcher.read(node, key, ALL);
  }

  #argument(call: Of<'CallExpression'> | Of<'NewExpression'>, node: Node, value: Followed): void {
    const index = (call.arguments as readonly Node[]).indexOf(node);
    const isSpread = call.arguments.slice(0, index).some(({ type }) => type === 'SpreadElement');
    if (index < 0 || isSpread) return this.#lost(node, value, 'is handed on behind what is spread');
    const { local, imported } = calledBy(call, this.names);
    if (local) return this.parameter(local, index, value);
    this.watcher.give(call, value, index);
    if (imported) return this.watcher.pass(call, imported, index, value);
    const written = call.callee.type === 'Identifier' ? `${call.callee.name}()` : 'what is called here';
    this.#lost(call, value, `is handed to ${written}, which cannot be followed`);
  }

  /** Nothing more is learned of it than that it is there. */
  #tested(at: Node, { path, key }: Followed): void {
    if (path.length === 0 && key !== undefined) this.watcher.read(at, key, VALUE);
  }

  #lost(at: Node, { key }: Followed, why: string): void {
    if (key === undefined) this.watcher.lose(at, why);
    else this.watcher.read(at, key, ALL);
  }

  #isNew(node: Node, value: Followed): boolean {
    const known = this.#seen.get(node);
    const text = `${value.path.join('.')}:${value.key ?? ''}`;
    if (known?.has(text)) return false;
    this.#seen.set(node, (known ?? new Set()).add(text));
    return true;
  }
}

/** The names of the properties that a module reads, by a dot, a text or a pattern. */
export function propertiesOf(names: Names): ReadonlySet<string> {
  const found = new Set<string>();
  for (const node of names.nodes) {
    const name = readBy(node);
    if (name !== undefined) found.add(name);
  }
  return found;
}

/** Any property of that name may hold the value: follow it from wherever one is read. */
export function propertyFlow(names: Names, flow: Flow, name: string, value: Followed): void {
  for (const node of names.nodes) {
    if (readBy(node) !== name) continue;
    if (node.type === 'MemberExpression') flow.expression(node, value);
    else if (node.type === 'Property') flow.pattern(node.value, value);
  }
}

function readBy(node: Node): string | undefined {
  if (node.type === 'MemberExpression') return isTarget(node) ? undefined : memberName(node);
  if (node.type === 'Property' && node.parent?.type === 'ObjectPattern')
    return propertyName(node.key, node.computed);
  return undefined;
}

const isTarget = (node: Node): boolean =>
  node.parent?.type === 'AssignmentExpression' && node.parent.left === node && node.parent.operator === '=';
