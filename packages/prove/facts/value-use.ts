import { calledBy, declarationBehind } from './factory.js';
import type { Handed } from './flow.js';
import { isDescribing } from './known-calls.js';
import type { Binding, Names } from './names.js';
import {
  boundBy,
  type FunctionNode,
  isFunction,
  isTransparent,
  memberName,
  type Node,
  type Of,
} from './syntax.js';

export type Call = Of<'CallExpression'> | Of<'NewExpression'>;

/** What is done with a value of `ctx`, or with what is in it, where it is read. */
export interface Use {
  /** Whether it is changed in place, or gets another value. */
  readonly isWriting: boolean;
  /** Whether it gets another value, and nobody looks at the one that it had. */
  readonly isAssigned?: boolean;
  /** The call that it is an argument of. */
  readonly given?: { readonly call: Call; readonly index: number } | undefined;
}

export const UNUSED: Use = { isWriting: false };
const CHANGED: Use = { isWriting: true };

export function useOf(at: Node, names: Names): Use {
  const { parent } = at;
  // Most of what is read is a function that is called.
  if (parent?.type === 'CallExpression' && parent.callee === at) return isChangingCall(at) ? CHANGED : UNUSED;
  // Of a value that is handed on, the call stands here.
  if (at.type === 'CallExpression' || at.type === 'NewExpression')
    return { isWriting: isForEffect(at, names) };
  const inPlace = new InPlace(names);
  if (at.type === 'Property') return { isWriting: inPlace.isChangedBehind(at.value) };
  if (at.type === 'ArrayPattern' || at.type === 'ObjectPattern' || at.type === 'RestElement')
    return { isWriting: inPlace.isChangedBehind(at) };
  const given = givenTo(at);
  const { local } = given ? calledBy(given.call, names) : {};
  const isWriting =
    inPlace.isChanged(at) ||
    (given !== undefined && isFunction(local) && changesParameter(local, given.index, names));
  return { isWriting, isAssigned: isAssigned(at), given: local ? undefined : given };
}

const isAssigned = (at: Node): boolean =>
  at.parent?.type === 'AssignmentExpression' &&
  at.parent.left === at &&
  at.parent.operator === '=' &&
  at.parent.parent?.type === 'ExpressionStatement';

/** The call that an expression is an argument of. */
function givenTo(at: Node): Use['given'] {
  const { parent } = at;
  if (parent?.type !== 'CallExpression' && parent?.type !== 'NewExpression') return undefined;
  const index = (parent.arguments as readonly Node[]).indexOf(at);
  return index < 0 ? undefined : { call: parent, index };
}

/** Whether a call, whose result nobody uses, is that of a function of a package: it is there for what it does to its arguments. */
function isForEffect(call: Call, names: Names): boolean {
  if (setsFirst(call)) return true;
  const { imported } = calledBy(call, names);
  const parent = call.parent?.type === 'AwaitExpression' ? call.parent.parent : call.parent;
  return (
    imported !== undefined &&
    !/^[./#]/.test(imported.specifier) &&
    !isDescribing(imported.specifier) &&
    parent?.type === 'ExpressionStatement'
  );
}

/** `Object.assign(ctx.cart, …)` */
const setsFirst = ({ callee }: Call): boolean =>
  callee.type === 'MemberExpression' &&
  callee.object.type === 'Identifier' &&
  /^(Object|Reflect)$/.test(callee.object.name) &&
  /^(assign|define|set|delete)/.test(memberName(callee) ?? '');

/** Who is called where it may be told; undefined where nothing is known, or where all is known here. */
export function handedTo(call: Call, names: Names): Handed | undefined {
  const { local, imported } = calledBy(call, names);
  if (local) return undefined;
  if (imported) return imported;
  const method = call.callee.type === 'MemberExpression' ? memberName(call.callee) : undefined;
  return method === undefined ? undefined : { method };
}

/** Whether a function changes what it gets as parameter `index`. */
export function changesParameter({ params }: FunctionNode, index: number, names: Names): boolean {
  const parameter = params[index] ?? params.at(-1);
  return parameter !== undefined && new InPlace(names).isChangedBehind(parameter);
}

/** Methods of collections and texts that leave them as they are. */
const READING = new Set(
  'get has keys values entries map filter forEach find findIndex findLast findLastIndex some every includes indexOf lastIndexOf join slice concat reduce reduceRight at flat flatMap toSorted toReversed toSpliced with toString toLocaleString toJSON valueOf charAt charCodeAt codePointAt startsWith endsWith split trim replace replaceAll match matchAll padStart padEnd repeat normalize toFixed toLowerCase toUpperCase format formatToParts encode decode test localeCompare compare isPrototypeOf hasOwnProperty'.split(
    ' ',
  ),
);

/** Methods of arrays that change them. */
const CHANGING = new Set('push pop shift unshift splice sort reverse fill copyWithin'.split(' '));

/** Functions of `Object` and `Reflect` that change what they are given first. */
const SETTING =
  /^(assign|defineProperty|defineProperties|setPrototypeOf|freeze|seal|preventExtensions|set|deleteProperty)$/;

/** The value itself, another name for it, or for something in it: that such a name gets another value says nothing of the first. */
type Mentioned = 'value' | 'alias' | 'part';

/** Follows what stands somewhere through one module, to see whether it is changed there in place. */
export class InPlace {
  readonly #asked = new Set<Binding>();

  constructor(
    private readonly names: Names,
    /** Whether what goes there may be changed by who gets it. */
    private readonly isGiven: (at: Node, parent: Node) => boolean = () => false,
  ) {}

  /** Whether what is mentioned here is given another value, or changed, by this name or by another one. */
  isChanged(reference: Node): boolean {
    return this.#isChanged(reference, 'value');
  }

  /** Whether what a pattern takes apart is changed by one of the names that it binds. */
  isChangedBehind(pattern: Node): boolean {
    return boundBy(pattern).some((one) => this.#isAliasChanged(one, 'part'));
  }

  #isChanged(reference: Node, what: Mentioned): boolean {
    let at = reference;
    for (let parent = at.parent; parent; parent = at.parent) {
      if (isTransparent(parent) || parent.type === 'AwaitExpression') at = parent;
      else if (parent.type === 'LogicalExpression') at = parent;
      else if (parent.type === 'ConditionalExpression' && parent.test !== at) at = parent;
      else if (parent.type === 'MemberExpression' && parent.object === at) {
        const call = parent.parent;
        const isMethod = call?.type === 'CallExpression' && call.callee === parent;
        if (isMethod && !READING.has(memberName(parent) ?? '')) return true;
        if (isMethod && this.#isChangedByCallback(call)) return true;
        at = isMethod ? call : parent;
      } else if (isWritten(at, parent)) return what === 'value' || at !== reference;
      else if (isSet(at, parent)) return true;
      else if (parent.type === 'VariableDeclarator' && parent.init === at)
        return parent.id.type === 'Identifier' && at === reference && what !== 'part'
          ? this.#isAliasChanged(parent.id, 'alias')
          : this.isChangedBehind(parent.id);
      else if (parent.type === 'ForOfStatement' && parent.right === at)
        return parent.left.type === 'VariableDeclaration'
          ? parent.left.declarations.some(({ id }) => this.isChangedBehind(id))
          : true;
      else return at === reference && what !== 'part' && this.isGiven(at, parent);
    }
    return false;
  }

  /** `list.forEach((one) => { one.seen = true; })` */
  #isChangedByCallback(call: Of<'CallExpression'>): boolean {
    return call.arguments.some((one) => {
      const called = declarationBehind(one, this.names.bindings);
      return isFunction(called) && called.params.some((parameter) => this.isChangedBehind(parameter));
    });
  }

  #isAliasChanged(id: Node, what: Mentioned): boolean {
    const binding = this.names.bindings.get(id);
    if (!binding) return true;
    if (this.#asked.has(binding)) return false;
    this.#asked.add(binding);
    const isChanged = binding.references.some((one) => one !== id && this.#isChanged(one, what));
    this.#asked.delete(binding);
    return isChanged;
  }
}

/** Whether an assignment, a loop or `delete` gives it another value. */
function isWritten(at: Node, parent: Node): boolean {
  switch (parent.type) {
    case 'AssignmentExpression':
    case 'ForInStatement':
    case 'ForOfStatement':
      return parent.left === at;
    case 'UpdateExpression':
      return true;
    case 'UnaryExpression':
      return parent.operator === 'delete';
    case 'ArrayPattern':
    case 'RestElement':
      return true;
    case 'AssignmentPattern':
      return parent.left === at;
    case 'Property':
      return parent.parent?.type === 'ObjectPattern' && parent.value === at;
    default:
      return false;
  }
}

/** `Object.assign(at, …)` */
function isSet(at: Node, parent: Node): boolean {
  if (parent.type !== 'CallExpression' || parent.arguments[0] !== at) return false;
  const { callee } = parent;
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    /^(Object|Reflect)$/.test(callee.object.name) &&
    SETTING.test(memberName(callee) ?? '')
  );
}

/** Whether a member that is called changes the array that it is one of. */
const isChangingCall = (member: Node): boolean =>
  member.type === 'MemberExpression' &&
  member.parent?.type === 'CallExpression' &&
  member.parent.callee === member &&
  CHANGING.has(memberName(member) ?? '');
