import { declarationBehind } from './factory.js';
import type { Binding, Identifier, Names } from './names.js';
import { isWritten } from './references.js';
import { resultsOf, settled } from './results.js';
import {
  type ClassNode,
  type FunctionNode,
  isClass,
  isFunction,
  memberName,
  type Node,
  type Of,
  propertyName,
} from './syntax.js';

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
