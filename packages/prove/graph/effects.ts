import { importedBy } from './imported.js';
import type { Names } from './names.js';
import { bare, isClass, memberName, type Node, someChild } from './syntax.js';
import { isDescribing } from './wrappers.js';

/** Constructors and functions of the language that do nothing but make a value. */
const MAKING = new Set(['Set', 'Map', 'WeakMap', 'WeakSet', 'RegExp', 'Symbol', 'Object.freeze', 'Error']);

/** Whether evaluating an expression may do more than make its value. */
export function hasEffects(node: Node, names: Names): boolean {
  switch (node.type) {
    case 'Identifier':
    case 'Literal':
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
      return false;
    case 'ClassDeclaration':
    case 'ClassExpression':
      return classHasEffects(node, names);
    case 'AwaitExpression':
    case 'AssignmentExpression':
    case 'UpdateExpression':
    case 'TaggedTemplateExpression':
    case 'ImportExpression':
      return true;
    case 'CallExpression':
    case 'NewExpression':
      if (!makes(node.callee, names)) return true;
      break;
    case 'UnaryExpression':
      if (node.operator === 'delete') return true;
  }
  return someChild(node, (child) => hasEffects(child, names));
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
