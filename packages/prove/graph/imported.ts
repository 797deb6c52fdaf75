import type { Binding, Names } from './names.js';
import { bare, constantText, memberName, type Node, propertyName } from './syntax.js';

/** An export of another module, by the specifier of an import. `name` is `*` for the whole module. */
export interface Imported {
  readonly specifier: string;
  readonly name: string;
}

export const WHOLE = '*';

/** The export of another module that a binding is; undefined where it is none. */
export function importOf(binding: Binding): Imported | undefined {
  if (binding.imported === undefined) binding.imported = findImport(binding) ?? null;
  return binding.imported ?? undefined;
}

function findImport({ declaration: node, name }: Binding): Imported | undefined {
  switch (node.type) {
    case 'ImportSpecifier':
      return from(node.parent, node.imported.type === 'Literal' ? node.imported.value : node.imported.name);
    case 'ImportDefaultSpecifier':
      return from(node.parent, 'default');
    case 'ImportNamespaceSpecifier':
      return from(node.parent, WHOLE);
    case 'VariableDeclarator':
      return node.init ? ofDynamic(node.id, node.init, name) : undefined;
    default:
      return undefined;
  }
}

const from = (node: Node | null | undefined, name: string): Imported | undefined =>
  node?.type === 'ImportDeclaration' ? { specifier: node.source.value, name } : undefined;

/** `const { a } = await import('./b.js')`, `const b = await import('./b.js')`. */
function ofDynamic(pattern: Node, init: Node, name: string): Imported | undefined {
  const awaited = bare(init);
  if (awaited.type !== 'AwaitExpression') return undefined;
  const imported = bare(awaited.argument);
  if (imported.type !== 'ImportExpression') return undefined;
  const specifier = constantText(imported.source);
  if (specifier === undefined) return undefined;
  if (pattern.type === 'Identifier') return { specifier, name: WHOLE };
  if (pattern.type !== 'ObjectPattern') return undefined;
  for (const one of pattern.properties)
    if (one.type === 'Property' && one.value.type === 'Identifier' && one.value.name === name) {
      const key = propertyName(one.key, one.computed);
      return key === undefined ? undefined : { specifier, name: key };
    }
  return undefined;
}

/** The export of another module that an expression stands for: `get`, `fwk.get`. */
export function importedBy(given: Node, { bindings }: Names): Imported | undefined {
  const node = bare(given);
  if (node.type === 'Identifier') {
    const binding = bindings.get(node);
    return binding && !binding.isAssigned ? importOf(binding) : undefined;
  }
  if (node.type !== 'MemberExpression') return undefined;
  const object = bare(node.object);
  const space = object.type === 'Identifier' ? bindings.get(object) : undefined;
  const whole = space && !space.isAssigned ? importOf(space) : undefined;
  const name = memberName(node);
  return whole?.name === WHOLE && name !== undefined ? { specifier: whole.specifier, name } : undefined;
}

/** The package that a specifier names: `@fwkit/cron`, `zod`. */
export function packageOf(specifier: string): string {
  const scope = specifier.startsWith('@') ? specifier.indexOf('/') : -1;
  const end = specifier.startsWith('@') && scope < 0 ? -1 : specifier.indexOf('/', scope + 1);
  return end < 0 ? specifier : specifier.slice(0, end);
}
