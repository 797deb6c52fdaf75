import type { Binding } from './names.js';
import { isFunction, type Node } from './syntax.js';

/** A part of a module with names of its own. */
export interface Scope {
  readonly names: Map<string, Binding>;
  readonly parent: Scope | undefined;
  /** Where `var` goes: a function, or the module. */
  readonly isFunction: boolean;
  readonly node: Node;
}

export const scopeIn = (parent: Scope | undefined, node: Node, isFunction: boolean): Scope => ({
  names: new Map(),
  parent,
  isFunction,
  node,
});

/** Where `var` goes that stands in a scope. */
export function functionAround(scope: Scope): Scope {
  let at = scope;
  while (!at.isFunction && at.parent) at = at.parent;
  return at;
}

/** What a name means in a scope. */
export function visibleIn(from: Scope, name: string): Binding | undefined {
  for (let at: Scope | undefined = from; at; at = at.parent) {
    const found = at.names.get(name);
    if (found) return found;
  }
  return undefined;
}

/** The function whose `arguments` are read in a scope. */
export function readerOfArguments(from: Scope): Node | undefined {
  let at: Scope | undefined = from;
  while (at && !(isFunction(at.node) && at.node.type !== 'ArrowFunctionExpression')) at = at.parent;
  return at?.node;
}
