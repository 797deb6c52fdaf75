import { importedBy } from './imported.js';
import type { Binding, Names } from './names.js';
import {
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

/** A provider whose value has members that can be told apart. */
export interface Factory {
  readonly make: FunctionNode;
  /** Members of the value, by name. */
  readonly members: readonly (readonly [name: string, node: Node])[];
  /** The class that the value is an instance of, and the expression that makes it. */
  readonly instance?: { readonly of: ClassNode; readonly callee: Node };
}

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

/** The members of what a factory makes; undefined where they cannot be told apart. */
export function membersOf(make: FunctionNode, names: Names): Factory | undefined {
  const result = resultOf(make);
  if (!result) return undefined;
  if (result.type === 'NewExpression') return ofInstance(make, result, names);
  const object = frozen(result);
  if (object.type !== 'ObjectExpression') return undefined;
  const members: [string, Node][] = [];
  for (const one of object.properties) {
    const name = one.type === 'Property' ? propertyName(one.key, one.computed) : undefined;
    if (name === undefined) return undefined;
    members.push([name, one]);
  }
  return { make, members };
}

/** The expression that a function returns, where it returns in one place alone: at its end. */
function resultOf({ body }: FunctionNode): Node | undefined {
  if (!body) return undefined;
  if (body.type !== 'BlockStatement') return bare(body);
  let returns = 0;
  for (const statement of body.body)
    walk(statement, (node) => {
      if (isFunction(node)) return false;
      if (node.type === 'ReturnStatement') returns++;
      return undefined;
    });
  const last = body.body.at(-1);
  return returns === 1 && last?.type === 'ReturnStatement' && last.argument ? bare(last.argument) : undefined;
}

/** What is given to `Object.freeze`. */
function frozen(node: Node): Node {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return node;
  const { object } = node.callee;
  const isFreeze =
    object.type === 'Identifier' && object.name === 'Object' && memberName(node.callee) === 'freeze';
  return isFreeze && node.arguments[0] ? bare(node.arguments[0]) : node;
}

function ofInstance(make: FunctionNode, made: Of<'NewExpression'>, names: Names): Factory | undefined {
  const of = declarationBehind(made.callee, names.bindings);
  if (!isClass(of) || of.superClass || of.parent?.type === 'NewExpression') return undefined;
  const members: [string, Node][] = [];
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
  return { make, members, instance: { of, callee: made.callee } };
}

/** The class that `super` is in a class. */
export function parentOf({ superClass }: ClassNode, bindings: Names['bindings']): ClassNode | undefined {
  const found = superClass ? declarationBehind(superClass, bindings) : undefined;
  return isClass(found) ? found : undefined;
}
