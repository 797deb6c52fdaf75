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
  const call = bare(exported);
  if (call.type !== 'CallExpression') return undefined;
  const wrapper = importedBy(call.callee, names);
  if (wrapper === undefined || !/^fwkit(\/|$)/.test(wrapper.specifier)) return undefined;
  const [first] = call.arguments;
  if (!first) return undefined;
  if (wrapper.name === 'service') return functionBehind(first, names);
  if (wrapper.name !== 'di' || first.type !== 'ObjectExpression') return undefined;
  const value = first.properties.find(
    (one): one is Of<'Property'> & typeof one =>
      one.type === 'Property' && propertyName(one.key, one.computed) === 'value',
  );
  return value?.type === 'Property' ? functionBehind(value.value, names) : undefined;
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
