import { calledBy } from './called-by.js';
import type { Handed } from './followed.js';
import { InPlace, isChangingCall } from './in-place.js';
import type { Names } from './names.js';
import { type FunctionNode, isFunction, memberName, type Node, type Of } from './syntax.js';
import { isDescribing } from './wrappers.js';

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
