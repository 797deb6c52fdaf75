import { importedBy } from './imported.js';
import type { Names } from './names.js';
import { bare, memberName, type Of } from './syntax.js';
import { wrapperOf } from './wrappers.js';

/** Whether a wrapper that is known has made the default export: then no convention hands `ctx` to anything else. */
export function isWrapped(program: Of<'Program'>, names: Names): boolean {
  const exported = program.body.find(({ type }) => type === 'ExportDefaultDeclaration');
  if (exported?.type !== 'ExportDefaultDeclaration') return false;
  let node = bare(exported.declaration);
  while (node.type === 'CallExpression') {
    const wrapper = importedBy(node.callee, names);
    if (wrapper) return wrapperOf(wrapper) !== undefined;
    // get(…).meta({ … })
    if (node.callee.type !== 'MemberExpression' || memberName(node.callee) !== 'meta') return false;
    node = bare(node.callee.object);
  }
  return false;
}
