import { importedBy } from './imported.js';
import type { World } from './leaves.js';
import type { Names } from './names.js';
import { bare, constantText, memberName, type Node, type Of, propertyName } from './syntax.js';

/** Note a module that is imported while the program runs. */
export function later(at: Node, source: Node, world: World): void {
  const specifier = constantText(source);
  if (specifier === undefined) world.lose(at, 'import() of a computed name', true);
  else world.later(at, specifier);
}

/** Whether a function is `createRequire`, of `node:module` or of its default export. */
export function isCreateRequire(callee: Node, names: Names): boolean {
  const node = bare(callee);
  const isOfModule = (given: Node): boolean =>
    /^(node:)?module$/.test(importedBy(given, names)?.specifier ?? '');
  if (node.type === 'MemberExpression')
    return memberName(node) === 'createRequire' && isOfModule(node.object);
  return importedBy(node, names)?.name === 'createRequire' && isOfModule(node);
}

/** What `createRequire(…)` gives is used at once, by a name, or taken apart. */
export function requires(made: Node, names: Names, world: World): void {
  const { parent } = made;
  if (parent?.type === 'CallExpression' || parent?.type === 'MemberExpression') return required(made, world);
  if (parent?.type !== 'VariableDeclarator' || isExported(parent))
    return world.lose(made, 'createRequire()', true);
  const take = (pattern: Node, use: (reference: Node) => void): void => {
    const binding = pattern.type === 'Identifier' ? names.bindings.get(pattern) : undefined;
    if (!binding || binding.isAssigned) return world.lose(made, 'createRequire()', true);
    for (const reference of binding.references) use(reference);
  };
  if (parent.id.type !== 'ObjectPattern') return take(parent.id, (reference) => required(reference, world));
  for (const one of parent.id.properties)
    if (one.type === 'Property' && propertyName(one.key, one.computed) === 'resolve')
      take(one.value, (reference) => resolvedBy(reference, world));
    else world.lose(made, 'createRequire()', true);
}

const isExported = ({ parent }: Of<'VariableDeclarator'>): boolean =>
  parent?.parent?.type === 'ExportNamedDeclaration';

/** `require('./a.js')` is an import; `require.resolve` loads nothing. */
export function required(at: Node, world: World): void {
  const { parent } = at;
  if (parent?.type === 'MemberExpression' && parent.object === at && memberName(parent) === 'resolve')
    return resolvedBy(parent, world);
  const [first] = parent?.type === 'CallExpression' && parent.callee === at ? parent.arguments : [];
  if (first) later(at, first, world);
  else world.lose(at, 'require()', true);
}

function resolvedBy(at: Node, world: World): void {
  if (at.parent?.type === 'CallExpression' && at.parent.callee === at) resolved(at.parent, world);
}

/** The path of a file of the project, which is run, or read, later. */
export function resolved({ arguments: [first] }: Of<'CallExpression'>, world: World): void {
  const path = first && constantText(first);
  if (first && path !== undefined && /^\.{1,2}\/./.test(path)) world.later(first, path);
}
