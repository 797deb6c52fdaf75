import { importedBy } from './imported.js';
import type { Names } from './scopes.js';
import { bare, isClass, isFunction, memberName, type Node, walk } from './syntax.js';
import { isDescribing } from './wrappers.js';

/** Constructors and functions of the language that do nothing but make a value. */
const MAKING = new Set(['Set', 'Map', 'WeakMap', 'WeakSet', 'RegExp', 'Symbol', 'Object.freeze', 'Error']);

/** Whether evaluating an expression may do more than make its value. */
export function hasEffects(expression: Node, names: Names): boolean {
  let found = false;
  walk(expression, (node) => {
    if (found || isFunction(node)) return false;
    if (isClass(node)) {
      found ||= classHasEffects(node, names);
      return false;
    }
    if (node.type === 'CallExpression' || node.type === 'NewExpression') found ||= !makes(node.callee, names);
    else
      found ||=
        node.type === 'AwaitExpression' ||
        node.type === 'AssignmentExpression' ||
        node.type === 'UpdateExpression' ||
        node.type === 'TaggedTemplateExpression' ||
        node.type === 'ImportExpression' ||
        (node.type === 'UnaryExpression' && node.operator === 'delete');
    return undefined;
  });
  return found;
}

/** Whether a declaration of a class runs code: static blocks and values, decorators, what it extends. */
export function classHasEffects(node: Node, names: Names): boolean {
  if (!isClass(node)) return false;
  if (node.decorators.length > 0) return true;
  if (node.superClass && hasEffects(node.superClass, names)) return true;
  return node.body.body.some((one) => {
    if (one.type === 'StaticBlock') return true;
    if ('decorators' in one && one.decorators.length > 0) return true;
    return one.type === 'PropertyDefinition' && one.static && one.value
      ? hasEffects(one.value, names)
      : false;
  });
}

/** Whether what is called only makes a value: of the language, or of a package whose functions describe. */
export function makes(callee: Node, names: Names): boolean {
  const node = bare(callee);
  if (node.type === 'Identifier') {
    if (!names.bindings.has(node)) return MAKING.has(node.name);
    const imported = importedBy(node, names);
    return imported !== undefined && isDescribing(imported.specifier);
  }
  if (node.type !== 'MemberExpression') return false;
  const object = bare(node.object);
  if (object.type === 'Identifier' && !names.bindings.has(object))
    return MAKING.has(`${object.name}.${memberName(node) ?? ''}`);
  // z.string().min(1), get(…).meta({ … })
  if (object.type === 'CallExpression') return makes(object.callee, names);
  if (object.type === 'MemberExpression' || object.type === 'Identifier') {
    const imported = importedBy(object, names);
    return imported
      ? isDescribing(imported.specifier)
      : object.type === 'MemberExpression' && makes(object, names);
  }
  return false;
}
