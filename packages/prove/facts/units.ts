import { type Factory, factoryOf, healthOf, membersOf } from './factory.js';
import { classHasEffects, hasEffects } from './known-calls.js';
import { type Binding, type Imported, importOf, type Names, WHOLE } from './names.js';
import { bare, boundBy, isClass, isFunction, type Node, type Of, bare as unwrapped } from './syntax.js';

/** All that runs when a module is imported. No declaration can have that name. */
export const INIT = 'import';

/** What says whether the value of a service is well. No member can have that name, and no name of its factory. */
export const HEALTH = 'default/health()';

/** A unit of a module while its facts are found. */
export interface Part {
  readonly name: string;
  /** Whether code of its own belongs to it: an import alone makes nothing run. */
  isWritten: boolean;
  /** Whether it holds what may change while the program runs: a variable, or a collection. */
  isState: boolean;
  /** Whether its value is made by something that may do more than that, when the module is imported. */
  runsOnImport: boolean;
}

/** The units of a module, and which node belongs to which. */
export class Partition {
  readonly parts = new Map<string, Part>();
  /** What the default export makes, where that is told apart. */
  factory: Factory | undefined;
  /** What the check of a service takes its value by: its parameter; null where it takes none, undefined where that is not known. */
  checked: Binding | null | undefined;
  readonly #owners = new Map<Node, string>();

  constructor(
    program: Of<'Program'>,
    private readonly names: Names,
  ) {
    this.#add(INIT);
    for (const statement of program.body) this.#statement(statement);
  }

  /** The name of the unit that a node belongs to. */
  of(node: Node): string {
    for (let at: Node | null | undefined = node; at; at = at.parent) {
      const owner = this.#owners.get(at);
      if (owner !== undefined) return owner;
    }
    return INIT;
  }

  /** The name of the unit that declares a name of this module. */
  declaring(binding: Binding): string {
    return this.of(binding.declaration);
  }

  /** The units that are members of what the default export makes. */
  get members(): readonly string[] {
    return this.factory?.members.map(([name]) => `default.${name}`) ?? [];
  }

  /** The units that these members are written in. */
  get holders(): readonly string[] {
    if (!this.factory) return [];
    const { make, instance } = this.factory;
    return [...new Set(['default', this.of(make), ...(instance ? [this.of(instance.of)] : [])])];
  }

  #add(name: string, node?: Node): Part {
    const known = this.parts.get(name);
    const part: Part = known ?? { name, isWritten: false, isState: false, runsOnImport: false };
    this.parts.set(name, part);
    if (node) {
      part.isWritten = true;
      this.#owners.set(node, name);
    }
    return part;
  }

  #statement(node: Node): void {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return;
      case 'ExportNamedDeclaration':
        if (node.declaration) this.#statement(node.declaration);
        return;
      case 'ExportDefaultDeclaration':
        return this.#default(node.declaration);
      case 'VariableDeclaration':
        for (const one of node.declarations) this.#variable(one, node.kind);
        return;
      case 'FunctionDeclaration':
        if (node.id) this.#add(node.id.name, node);
        return;
      case 'ClassDeclaration':
        if (node.id) this.#add(node.id.name, node).runsOnImport ||= classHasEffects(node, this.names);
        return;
      case 'TSEnumDeclaration':
        this.#add(node.id.name, node);
        return;
      case 'TSModuleDeclaration':
        this.#add(node.id.type === 'Identifier' ? node.id.name : INIT, node).runsOnImport = true;
        return;
      default:
        if (!node.type.startsWith('TS')) this.#add(INIT, node);
    }
  }

  #variable(node: Of<'VariableDeclarator'>, kind: string): void {
    const [first] = boundBy(node.id);
    const part = this.#add(first?.name ?? INIT, node);
    part.isState ||= isState(node.init, kind);
    const isPlain = kind === 'const' && node.id.type === 'Identifier';
    part.runsOnImport ||= !isPlain || (node.init ? hasEffects(node.init, this.names) : false);
  }

  #default(node: Node): void {
    if (bare(node).type === 'Identifier') return void this.#add(INIT, node);
    if ((isFunction(node) || isClass(node)) && node.id) return this.#statement(node);
    const part = this.#add('default', node);
    part.runsOnImport =
      !isFunction(node) && (isClass(node) ? classHasEffects(node, this.names) : hasEffects(node, this.names));
    const make = factoryOf(node, this.names);
    const factory = make && membersOf(make, this.names);
    if (factory) this.#split(factory);
    const health = healthOf(node, this.names);
    if (health) this.#check(health);
  }

  /** A unit of its own: whoever uses the service does not run it. */
  #check(health: Of<'Property'>): void {
    this.#add(HEALTH, health);
    if (!isFunction(health.value)) return;
    const [first] = health.value.params;
    if (!first) this.checked = null;
    else if (first.type === 'Identifier') this.checked = this.names.bindings.get(first);
  }

  /** A unit for each member of what a factory makes, and for each of its names whose value does nothing by itself. */
  #split(factory: Factory): void {
    this.factory = factory;
    for (const [name, node] of factory.members) this.#add(`default.${name}`, node);
    const { body } = factory.make;
    if (body?.type !== 'BlockStatement') return;
    for (const statement of body.body) {
      if (statement.type === 'FunctionDeclaration' && statement.id)
        this.#add(`default/${statement.id.name}`, statement);
      if (statement.type !== 'VariableDeclaration') continue;
      for (const one of statement.declarations) {
        if (one.id.type !== 'Identifier' || !one.init || hasEffects(one.init, this.names)) continue;
        this.#add(`default/${one.id.name}`, one).isState = isState(one.init, statement.kind);
      }
    }
  }
}

const isState = (init: Node | null, kind: string): boolean => {
  if (kind !== 'const' || init === null) return true;
  const { type } = bare(init);
  return type === 'NewExpression' || type === 'ArrayExpression' || type === 'ObjectExpression';
};

/** What an exported name stands for: a unit of the module, or an export of another. */
export type Export = { readonly unit: string } | Imported;

/** The modules that a module names, and what it exports. */
interface Interface {
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
