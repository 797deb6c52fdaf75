import { wrapperOf } from './known-calls.js';
import { type Binding, importOf, type Names } from './names.js';
import { bare, isFunction, memberName, type Node, type Of } from './syntax.js';
import type { Partition } from './units.js';
import { InPlace } from './value-use.js';

/** What of a module may change while the program runs, and which units have to do with it. */
export interface ModuleState {
  /** The units that change a state, by its name. */
  readonly writers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The units that mention it, which are those that change it, too. */
  readonly users: ReadonlyMap<string, ReadonlySet<string>>;
  /** The units that change something of another module. */
  readonly others: ReadonlySet<string>;
  /** Those of the states that a call or a constructor made: connections, and collections among them. */
  readonly made: ReadonlySet<string>;
}

/** Methods that change collections. */
const COLLECTING = new Set(
  'set add delete clear push pop shift unshift splice sort reverse fill copyWithin'.split(' '),
);
/** Constructors of what has no state that anybody sees. */
const STATELESS = /^(RegExp|Error|TextEncoder|TextDecoder|Date|URL|Intl)$/;

export const STATELESS_MODULE: ModuleState = {
  writers: new Map(),
  users: new Map(),
  others: new Set(),
  made: new Set(),
};

/** Whether a module has anything that could be state. Most have not. */
export function mayHaveState(names: Names, parts: Partition): boolean {
  return (
    names.all.some(
      (binding) =>
        isShared(binding, parts) ||
        (importOf(binding) !== undefined && binding.references.some(isCollection)),
    ) || names.nodes.some(isOwnMember)
  );
}

export function stateIn(names: Names, parts: Partition): ModuleState {
  const inPlace = new InPlace(names, isGivenAway);
  const writers = new Map<string, Set<string>>();
  const users = new Map<string, Set<string>>();
  const note = (to: Map<string, Set<string>>, name: string, unit: string): void => {
    const units = to.get(name) ?? new Set();
    to.set(name, units.add(unit));
  };
  const made = new Set<string>();
  for (const binding of names.all) {
    if (!isShared(binding, parts)) continue;
    const name = `${parts.declaring(binding)} ${binding.name}`;
    if (isMade(binding)) made.add(name);
    for (const reference of binding.references) {
      // As this.a() is: a member by itself.
      if (binding === parts.factory?.value && isCalledMember(reference)) continue;
      note(users, name, parts.of(reference));
      if (isInDefinition(reference, names)) continue;
      if (inPlace.isChanged(reference)) note(writers, name, parts.of(reference));
    }
  }
  for (const node of names.nodes) {
    if (!isOwnMember(node)) continue;
    const name = memberName(node);
    const isCall = node.parent?.type === 'CallExpression' && node.parent.callee === node;
    if (isCall || inConstructor(node)) continue;
    note(users, `this.${name ?? '*'}`, parts.of(node));
    if (inPlace.isChanged(node)) note(writers, `this.${name ?? '*'}`, parts.of(node));
  }
  const others = new Set<string>();
  for (const binding of names.all) {
    if (!importOf(binding)) continue;
    for (const one of binding.references)
      if (isCollection(one) && inPlace.isChanged(one)) others.add(parts.of(one));
  }
  return { writers, users, others, made };
}

/** `const all = await open()`; what is taken out of a value belongs to who has that. */
function isMade({ declaration }: Binding): boolean {
  if (declaration.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier' || !declaration.init)
    return false;
  const init = bare(declaration.init);
  const { type } = init.type === 'AwaitExpression' ? bare(init.argument) : init;
  return type === 'CallExpression' || type === 'NewExpression';
}

/** `post({ body: Login }, …)`: what is said of an endpoint is only read. What `di` and `service` get is handed on. */
function isInDefinition(reference: Node, names: Names): boolean {
  let at = reference;
  while (at.parent?.type === 'Property' || at.parent?.type === 'ObjectExpression') at = at.parent;
  const call = at.parent;
  if (at === reference || call?.type !== 'CallExpression' || call.callee === at) return false;
  const called = names.bindings.get(call.callee);
  const imported = called && importOf(called);
  return imported !== undefined && !PROVIDERS.has(imported.name) && wrapperOf(imported) !== undefined;
}

const PROVIDERS = new Set(['di', 'service']);

const isCalledMember = ({ parent }: Node): boolean =>
  parent?.parent?.type === 'CallExpression' && parent.parent.callee === parent;

/** Whether something is done to what is mentioned itself: neither called nor handed on, as functions are. */
const isCollection = ({ parent }: Node): boolean => parent?.type === 'MemberExpression';

/** `this.a` */
const isOwnMember = (node: Node): node is Of<'MemberExpression'> =>
  node.type === 'MemberExpression' && node.object.type === 'ThisExpression';

/** Whether more than one call may see what a name stands for: a name of the module, or of what its default export makes. */
function isShared(binding: Binding, parts: Partition): boolean {
  const { declaration, references } = binding;
  if (declaration.type !== 'VariableDeclarator' || isConstant(declaration.init)) return false;
  if (isOfCtx(binding, parts) && !references.some(isInCollection)) return false;
  return !isInFunction(declaration) || declaration.parent?.parent === parts.factory?.make.body;
}

/** `const { books } = ctx` in a factory: what is called of it is followed to where it is made. */
function isOfCtx({ declaration }: Binding, { factory }: Partition): boolean {
  const [ctx] = factory?.make.params ?? [];
  if (declaration.type !== 'VariableDeclarator' || ctx?.type !== 'Identifier' || !declaration.init)
    return false;
  const from = bare(declaration.init);
  const root = from.type === 'MemberExpression' ? bare(from.object) : from;
  return root.type === 'Identifier' && root.name === ctx.name;
}

/** Whether what is mentioned may be a collection that is changed here: what is made elsewhere, and has no methods of the project. */
function isInCollection({ parent }: Node): boolean {
  if (parent?.type !== 'MemberExpression') return true;
  const isCall = parent.parent?.type === 'CallExpression' && parent.parent.callee === parent;
  return !isCall || COLLECTING.has(memberName(parent) ?? '');
}

function isConstant(init: Node | null): boolean {
  if (init?.type !== 'NewExpression') return isFunction(init);
  const { callee } = init;
  const root = callee.type === 'MemberExpression' ? callee.object : callee;
  return root.type === 'Identifier' && STATELESS.test(root.name);
}

function isInFunction(node: Node): boolean {
  for (let at = node.parent; at; at = at.parent) if (isFunction(at)) return true;
  return false;
}

function inConstructor(node: Node): boolean {
  for (let at = node.parent; at; at = at.parent)
    if (at.type === 'MethodDefinition') return at.kind === 'constructor';
  return false;
}

/** The whole of it goes where it may be changed by another name. */
function isGivenAway(at: Node, parent: Node): boolean {
  switch (parent.type) {
    case 'CallExpression':
      return parent.callee !== at && !isHarmless(parent.callee);
    case 'NewExpression':
      return (
        parent.callee !== at &&
        !(parent.callee.type === 'Identifier' && /^(Set|Map)$/.test(parent.callee.name))
      );
    case 'AssignmentExpression':
    case 'Property':
    case 'ArrayExpression':
      return true;
    default:
      return false;
  }
}

/** `Object.keys(x)`, `JSON.stringify(x)`, `structuredClone(x)`: functions that only look. */
const isHarmless = (callee: Node): boolean =>
  callee.type === 'MemberExpression'
    ? callee.object.type === 'Identifier' &&
      /^(Object|JSON|Array|Math|Number|String|console)$/.test(callee.object.name)
    : callee.type === 'Identifier' && /^(structuredClone|String|Number|Boolean)$/.test(callee.name);
