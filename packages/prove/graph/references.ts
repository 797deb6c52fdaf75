import type { Node } from './syntax.js';

/** Whether an identifier stands for a value: neither the name of a property nor a label. `key`: where its parent has it. */
export function isReference(parent: Node | undefined, key: string): boolean {
  switch (parent?.type) {
    case 'MemberExpression':
      return key === 'object' || parent.computed;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'AccessorProperty':
      return key === 'value' || parent.computed;
    case 'ExportSpecifier':
      return key === 'local' && !isReexport(parent.parent);
    case 'JSXAttribute':
    case 'JSXNamespacedName':
    case 'JSXClosingElement':
      return false;
    case 'JSXMemberExpression':
      return key === 'object';
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return key !== 'label';
    case 'TSEnumMember':
      return key === 'initializer';
    case 'MetaProperty':
    case 'ImportSpecifier':
    case 'ImportAttribute':
    case 'ExportAllDeclaration':
      return false;
    default:
      return true;
  }
}

const isReexport = (node: Node | undefined | null): boolean =>
  node?.type === 'ExportNamedDeclaration' && node.source !== null;

/** Whether a reference is what an assignment, or a loop, gives a value to. */
export function isWritten(reference: Node): boolean {
  for (let at: Node = reference, parent = at.parent; parent; at = parent, parent = at.parent ?? undefined) {
    if (parent.type === 'AssignmentExpression') return parent.left === at;
    if (parent.type === 'ForInStatement' || parent.type === 'ForOfStatement') return parent.left === at;
    if (parent.type === 'UpdateExpression') return true;
    const isPattern =
      parent.type === 'ObjectPattern' ||
      parent.type === 'ArrayPattern' ||
      parent.type === 'RestElement' ||
      (parent.type === 'AssignmentPattern' && parent.left === at) ||
      (parent.type === 'Property' && parent.value === at);
    if (!isPattern) return false;
  }
  return false;
}
