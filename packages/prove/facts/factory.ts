import { type Binding, type Identifier, type Imported, importedBy, isWritten, type Names } from './names.js';
import {
  around,
  bare,
  type ClassNode,
  type FunctionNode,
  isClass,
  isFunction,
  memberName,
  type Node,
  type Of,
  propertyName,
  walk,
} from './syntax.js';

/** The function that makes the value of `service(…)` or `di(…)`. */
export function factoryOf(exported: Node, names: Names): FunctionNode | undefined {
  const { name, given } = callOfFwkit(exported, names) ?? {};
  const [first] = given ?? [];
  if (!first) return undefined;
  if (name === 'service') return functionBehind(first, names);
  const value = name === 'di' ? propertyOf(first, 'value') : undefined;
  return value && functionBehind(value.value, names);
}

/** The option of `service(…)` that says whether its value is well. */
export function healthOf(exported: Node, names: Names): Of<'Property'> | undefined {
  const { name, given } = callOfFwkit(exported, names) ?? {};
  const options = name === 'service' ? given?.[1] : undefined;
  return options && propertyOf(options, 'health');
}

/** The name of the function of the framework that an expression calls, and what it is given. */
function callOfFwkit(exported: Node, names: Names) {
  const call = bare(exported);
  if (call.type !== 'CallExpression') return undefined;
  const { specifier = '', name } = importedBy(call.callee, names) ?? {};
  return /^fwkit(\/|$)/.test(specifier) ? { name, given: call.arguments } : undefined;
}

/** The property of that name of an object that is written out. */
function propertyOf(object: Node, name: string): Of<'Property'> | undefined {
  if (object.type !== 'ObjectExpression') return undefined;
  return object.properties.find(
    (one): one is Of<'Property'> & typeof one =>
      one.type === 'Property' && propertyName(one.key, one.computed) === name,
  );
}

/** The one function that an expression is certain to stand for. */
export function functionBehind(given: Node, { bindings }: Names): FunctionNode | undefined {
  const found = declarationBehind(given, bindings);
  return isFunction(found) ? found : undefined;
}

/** The one function or class that an expression is certain to stand for. */
export function declarationBehind(
  given: Node,
  bindings: Names['bindings'],
  depth = 0,
): FunctionNode | ClassNode | undefined {
  const node = bare(given);
  if (isFunction(node) || isClass(node)) return node;
  const binding = node.type === 'Identifier' ? bindings.get(node) : undefined;
  return binding && declarationOf(binding, bindings, depth);
}

/** The one function or class that a name is certain to stand for. */
export function declarationOf(
  { isAssigned, declarations, declaration }: Binding,
  bindings: Names['bindings'],
  depth = 0,
): FunctionNode | ClassNode | undefined {
  if (isAssigned || declarations > 1 || depth > 8) return undefined;
  if (isFunction(declaration) || isClass(declaration)) return declaration;
  if (declaration.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier') return undefined;
  return declaration.init ? declarationBehind(declaration.init, bindings, depth + 1) : undefined;
}

/** The class that `super` is in a class. */
export function parentOf({ superClass }: ClassNode, bindings: Names['bindings']): ClassNode | undefined {
  const found = superClass ? declarationBehind(superClass, bindings) : undefined;
  return isClass(found) ? found : undefined;
}

type Member = readonly [name: string, node: Node];

/** A provider whose value has members that can be told apart. */
export interface Factory {
  readonly make: FunctionNode;
  /** Members of the value, by name. Where it is made in several places, each of them has all names. */
  readonly members: readonly Member[];
  /** Whether it has others, too: those of an object that is spread before these. */
  readonly isOpen: boolean;
  /** The class that the value is an instance of, and the expression that makes it. */
  readonly instance?: { readonly of: ClassNode; readonly callee: Node };
  /** The name that the function has for the value: `const api = { … }; return api;`. */
  readonly value?: Binding;
}

const DEEPEST = 4;

/** The members of what a factory makes; undefined where they cannot be told apart. */
export function membersOf(make: FunctionNode, names: Names, depth = 0): Factory | undefined {
  const results = make.generator || depth > DEEPEST ? undefined : resultsOf(make);
  const [first, ...others] = results ?? [];
  if (!first) return undefined;
  if (others.length === 0) return ofResult(make, first, names, depth);
  const all = [first, ...others].map((one) => literal(settled(one)));
  const wanted = namesOf(all[0]);
  const isSame = all.every((one) => one && !one.isOpen && namesOf(one) === wanted);
  return isSame ? { make, members: all.flatMap((one) => one?.members ?? []), isOpen: false } : undefined;
}

function ofResult(make: FunctionNode, given: Node, names: Names, depth: number): Factory | undefined {
  const result = settled(given);
  if (result.type === 'NewExpression') return ofInstance(make, result, names);
  if (result.type === 'Identifier') return ofName(make, result, names, depth);
  const object = literal(result);
  if (object) return { make, ...object };
  const called =
    result.type === 'CallExpression' ? declarationBehind(result.callee, names.bindings) : undefined;
  return isFunction(called) ? membersOf(called, names, depth + 1) : undefined;
}

/** What is returned by its name, where nobody has done more with it than to read its members. */
function ofName(
  make: FunctionNode,
  result: Of<'Identifier'>,
  names: Names,
  depth: number,
): Factory | undefined {
  const value = names.bindings.get(result);
  const { declaration } = value ?? {};
  if (!value || value.isAssigned || value.declarations > 1 || depth > DEEPEST) return undefined;
  if (declaration?.type !== 'VariableDeclarator' || declaration.id.type !== 'Identifier') return undefined;
  if (!declaration.init || declaration.parent?.parent !== make.body) return undefined;
  if (!value.references.every((one) => one === result || isRead(one))) return undefined;
  const factory = ofResult(make, declaration.init, names, depth + 1);
  // Of another function, or by another name, it is another value for its members.
  return factory?.make === make && !factory.value ? { ...factory, value } : undefined;
}

/** `api.name`, and neither written nor deleted. */
function isRead(reference: Identifier): boolean {
  const { parent } = reference;
  if (parent?.type !== 'MemberExpression' || parent.object !== reference) return false;
  const isDeleted = parent.parent?.type === 'UnaryExpression' && parent.parent.operator === 'delete';
  return memberName(parent) !== undefined && !isDeleted && !isWritten(parent);
}

/** The properties of an object that is written out. What is spread has to come first, so that what is written is what counts. */
function literal(node: Node): Pick<Factory, 'members' | 'isOpen'> | undefined {
  const parts = partsOf(node);
  if (!parts) return undefined;
  const members: Member[] = [];
  let isOpen = false;
  for (const one of parts) {
    if (one.type === 'Property') {
      const name = propertyName(one.key, one.computed);
      if (name === undefined) return undefined;
      members.push([name, one]);
    } else if (members.length > 0) return undefined;
    else isOpen = true;
  }
  return { members, isOpen };
}

/** What an object is made of: properties, and others whose names are not known. */
function partsOf(node: Node): Node[] | undefined {
  if (node.type === 'ObjectExpression') return node.properties;
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { object } = node.callee;
  const isAssign =
    object.type === 'Identifier' && object.name === 'Object' && memberName(node.callee) === 'assign';
  const [target, ...sources] = node.arguments.map(settled);
  if (!isAssign || target?.type !== 'ObjectExpression') return undefined;
  return [target, ...sources].flatMap((one): Node[] => {
    // What a getter gives is read once, when it is assigned.
    const isPlain = one.type === 'ObjectExpression' && !one.properties.some(isGetter);
    return isPlain || one === target ? (one as Of<'ObjectExpression'>).properties : [one];
  });
}

const isGetter = (one: Node): boolean => one.type === 'Property' && one.kind !== 'init';

/** As a text, whatever their order. */
const namesOf = (object: Pick<Factory, 'members'> | undefined): string | undefined =>
  object && JSON.stringify(object.members.map(([name]) => name).sort());

function ofInstance(make: FunctionNode, made: Of<'NewExpression'>, names: Names): Factory | undefined {
  const of = declarationBehind(made.callee, names.bindings);
  if (!isClass(of) || of.superClass || of.parent?.type === 'NewExpression') return undefined;
  const members: Member[] = [];
  for (const one of of.body.body) {
    const isMember =
      one.type === 'MethodDefinition'
        ? one.kind !== 'constructor'
        : one.type === 'PropertyDefinition' && isFunction(one.value);
    if (!isMember || !('key' in one) || one.static) continue;
    const name = propertyName(one.key, one.computed);
    if (name === undefined) return undefined;
    members.push([name, one]);
  }
  return { make, members, isOpen: false, instance: { of, callee: made.callee } };
}

/** The expressions whose values a function may give; undefined where it may give nothing, or cannot be told. */
function resultsOf({ body }: FunctionNode): Node[] | undefined {
  if (!body) return undefined;
  if (body.type !== 'BlockStatement') return either(body);
  const found: (Node | null)[] = [];
  for (const statement of body.body)
    walk(statement, (node) => {
      if (isFunction(node) || isClass(node)) return false;
      if (node.type === 'ReturnStatement') found.push(node.argument);
      return undefined;
    });
  // It ends there, or it may end without a result.
  if (body.body.at(-1)?.type !== 'ReturnStatement' || found.includes(null)) return undefined;
  return found.flatMap((one) => (one ? either(one) : []));
}

/** Both sides of `a ? b : c`. */
function either(given: Node): Node[] {
  const node = bare(given);
  return node.type === 'ConditionalExpression'
    ? [...either(node.consequent), ...either(node.alternate)]
    : [node];
}

const HANDING_ON: ReadonlySet<string> = new Set([
  ...['Object.freeze', 'Object.seal', 'Object.preventExtensions', 'Promise.resolve'],
]);

/** What is frozen, or awaited: the value with the same members. */
function settled(given: Node): Node {
  const node = bare(given);
  if (node.type === 'AwaitExpression') return settled(node.argument);
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return node;
  const { object } = node.callee;
  const name = object.type === 'Identifier' ? `${object.name}.${memberName(node.callee)}` : '';
  const [first] = node.arguments;
  return first && HANDING_ON.has(name) ? settled(first) : node;
}

/** What a call hands its arguments to: a function or class of the module, or an export of another. */
interface Called {
  readonly local?: FunctionNode | ClassNode | undefined;
  readonly imported?: Imported | undefined;
}

/** What is called, or made by `new`, or by `super(…)`; nothing where that is not certain. */
export function calledBy(call: Of<'CallExpression'> | Of<'NewExpression'>, names: Names): Called {
  if (call.callee.type === 'Super') {
    const inner = around(call, isClass);
    return { local: inner && parentOf(inner, names.bindings) };
  }
  const local = declarationBehind(call.callee, names.bindings);
  if (local && isClass(local) === (call.type === 'NewExpression')) return { local };
  return { imported: importedBy(call.callee, names) };
}
