import { type Imported, importOf, WHOLE } from './imported.js';
import type { Binding, Names } from './names.js';
import { boundBy, type Node, type Of, bare as unwrapped } from './syntax.js';
import type { Partition } from './units.js';

/** What an exported name stands for: a unit of the module, or an export of another. */
export type Export = { readonly unit: string } | Imported;

/** The modules that a module names, and what it exports. */
export interface Interface {
  /** Specifiers of the modules that are imported with this one. */
  readonly imports: Set<string>;
  /** Those of them that are imported for what they do alone: `import './a.js'`. */
  readonly bare: Set<string>;
  readonly exports: Map<string, Export>;
  /** Specifiers of `export * from …`. */
  readonly stars: string[];
}

export function interfaceOf(program: Of<'Program'>, names: Names, units: Partition): Interface {
  const imports = new Set<string>();
  const bare = new Set<string>();
  const exports = new Map<string, Export>();
  const stars: string[] = [];
  const local = (name: string): Export => {
    const binding = names.top.get(name);
    return (binding && importOf(binding)) ?? { unit: binding ? units.declaring(binding) : name };
  };
  for (const node of program.body)
    switch (node.type) {
      case 'ImportDeclaration':
        if (node.importKind === 'type' || isErased(node)) break;
        imports.add(node.source.value);
        if (node.specifiers.length === 0) bare.add(node.source.value);
        break;
      case 'ExportAllDeclaration':
        if (node.exportKind === 'type') break;
        imports.add(node.source.value);
        if (node.exported) exports.set(nameOf(node.exported), { specifier: node.source.value, name: WHOLE });
        else stars.push(node.source.value);
        break;
      case 'ExportDefaultDeclaration':
        exports.set('default', defaultExport(node.declaration, local));
        break;
      case 'ExportNamedDeclaration':
        if (node.exportKind === 'type') break;
        if (node.source) imports.add(node.source.value);
        for (const one of node.specifiers) {
          if (one.exportKind === 'type') continue;
          const name = nameOf(one.local);
          exports.set(
            nameOf(one.exported),
            node.source ? { specifier: node.source.value, name } : local(name),
          );
        }
        for (const name of declaredBy(node.declaration)) exports.set(name, local(name));
        break;
    }
  return { imports, bare, exports, stars };
}

/** All that it names are types: the compiler leaves such an import out, or an empty module is imported. */
const isErased = ({ specifiers }: Of<'ImportDeclaration'>): boolean =>
  specifiers.length > 0 &&
  specifiers.every((one) => one.type === 'ImportSpecifier' && one.importKind === 'type');

function defaultExport(declaration: Node, local: (name: string) => Export): Export {
  const node = unwrapped(declaration);
  if (node.type === 'Identifier') return local(node.name);
  if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id)
    return local(node.id.name);
  return { unit: 'default' };
}

const nameOf = (node: Of<'ExportSpecifier'>['exported']): string =>
  node.type === 'Literal' ? node.value : node.name;

function declaredBy(node: Node | null): string[] {
  switch (node?.type) {
    case 'VariableDeclaration':
      return node.declarations.flatMap((one) => boundBy(one.id).map(({ name }) => name));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return node.id ? [node.id.name] : [];
    case 'TSEnumDeclaration':
      return [node.id.name];
    case 'TSModuleDeclaration':
      return node.id.type === 'Identifier' ? [node.id.name] : [];
    default:
      return [];
  }
}

/** Names that other modules may read. */
export function exportedBindings(program: Of<'Program'>, names: Names): ReadonlySet<Binding> {
  const exported = new Set<Binding>();
  for (const node of program.body) {
    if (node.type !== 'ExportNamedDeclaration' || node.source) continue;
    for (const { local } of node.specifiers) add(local.type === 'Identifier' ? local.name : '');
    if (node.declaration?.type === 'VariableDeclaration')
      for (const binding of names.top.values())
        if (node.declaration.declarations.some((one) => one === binding.declaration)) exported.add(binding);
  }
  function add(name: string): void {
    const binding = names.top.get(name);
    if (binding) exported.add(binding);
  }
  return exported;
}
