import { importedBy } from './imported.js';
import type { Binding, Names } from './names.js';
import {
  bare,
  type ClassNode,
  type FunctionNode,
  isClass,
  isFunction,
  type Node,
  type Of,
  propertyName,
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
