import { type Blind, idOf, type Unit, type UnitId } from './facts.js';
import { type Binding, type Identifier, type Imported, importOf, type Names, WHOLE } from './names.js';
import { bare, isClass, memberName, type Node, type Of } from './syntax.js';
import { HEALTH, INIT, type Part, type Partition } from './units.js';

/** Find what each unit mentions: other units of its module, and what it imports. */
export function findUses(names: Names, parts: Partition, units: ReadonlyMap<string, UnitFacts>): void {
  const unit = (at: Node): UnitFacts => units.get(parts.of(at)) as UnitFacts;
  const use = (from: UnitFacts, to: string): void => {
    if (from.name !== to && units.has(to)) from.add('uses', to);
  };
  for (const binding of names.all) {
    const imported = importOf(binding);
    const isImport = imported !== undefined && binding.declaration.type !== 'VariableDeclarator';
    const home = parts.declaring(binding);
    for (const reference of binding.references) {
      const from = unit(reference);
      if (isImport) from.import(wanted(reference, imported));
      else use(from, home);
      if (binding === parts.factory?.value && memberOf(reference)) mentionsOwn(reference, from, parts, use);
      if (binding === parts.checked) mentionsChecked(reference, from, parts, use);
      // Whoever else has the class, or the function that makes the value, may call all of its members.
      if (isHolding(binding, reference, parts)) for (const member of parts.members) use(from, member);
    }
    if (binding.isAssigned && !isImport)
      for (const writer of givers(binding)) use(units.get(home) as UnitFacts, parts.of(writer));
  }
  for (const part of parts.parts.values())
    if (part.runsOnImport) use(units.get(INIT) as UnitFacts, part.name);
  checks(parts, units, use);
  for (const node of names.nodes)
    if (node.type === 'ThisExpression') mentionsThis(node, unit(node), parts, use);
}

/** The check of a service looks at what that makes: at all its members, where it cannot be told at which. */
function checks(parts: Partition, units: ReadonlyMap<string, UnitFacts>, use: Use): void {
  const check = units.get(HEALTH);
  if (!check) return;
  use(check, 'default');
  if (parts.checked === undefined) for (const member of parts.members) use(check, member);
}

/** Whether a reference gives the class, or the function, by which a value of `ctx` is made to somebody else. */
function isHolding({ declaration }: Binding, reference: Identifier, parts: Partition): boolean {
  const { make, instance } = parts.factory ?? {};
  if (declaration === instance?.of) return reference !== instance.callee;
  const declared =
    declaration.type === 'VariableDeclarator' && declaration.init ? bare(declaration.init) : declaration;
  return declared === make && parts.of(reference) !== 'default';
}

/** Of a whole module, the export that a reference asks for: `lib.name`. */
function wanted(reference: Identifier, imported: Imported): Imported {
  const { parent } = reference;
  if (imported.name !== WHOLE || parent?.type !== 'MemberExpression' || parent.object !== reference)
    return imported;
  return { specifier: imported.specifier, name: memberName(parent) ?? WHOLE };
}

/** Where something that may be called later is assigned to a name. */
function givers({ references }: Binding): Node[] {
  return references.filter((reference) => {
    const { parent } = reference;
    if (parent?.type !== 'AssignmentExpression' || parent.left !== reference) return false;
    return parent.right.type !== 'Literal' && parent.operator !== '+=' && parent.operator !== '-=';
  });
}

type Use = (from: UnitFacts, to: string) => void;

function mentionsThis(node: Node, from: UnitFacts, parts: Partition, use: Use): void {
  const inside = from.name.startsWith('default') || insideInstance(node, parts);
  if (parts.factory && inside) mentionsOwn(node, from, parts, use);
}

/** `this.a`, or `api.a`, is another member; `this` alone may be all of them, and so may what is spread, by a name of its own. */
function mentionsOwn(node: Node, from: UnitFacts, { factory, members }: Partition, use: Use): void {
  const access = memberOf(node);
  const name = access && memberName(access);
  const one = name === undefined ? undefined : `default.${name}`;
  if (one !== undefined && (!factory?.isOpen || members.includes(one))) use(from, one);
  else for (const member of members) use(from, member);
}

/** `store.isOpen()` calls a member; what else is done with the value may have to do with any. */
function mentionsChecked(node: Node, from: UnitFacts, { members }: Partition, use: Use): void {
  const access = memberOf(node);
  const isCalled = access?.parent?.type === 'CallExpression' && access.parent.callee === access;
  const one = isCalled ? `default.${memberName(access)}` : '';
  for (const member of members.includes(one) ? [one] : members) use(from, member);
}

/** The access to a member of what a node stands for. */
const memberOf = (node: Node): Of<'MemberExpression'> | undefined =>
  node.parent?.type === 'MemberExpression' && node.parent.object === node ? node.parent : undefined;

function insideInstance(node: Node, { factory }: Partition): boolean {
  for (let at: Node | null | undefined = node; at; at = at.parent)
    if (isClass(at)) return at === factory?.instance?.of;
  return false;
}

/** The names that a unit may say more than one of. */
type NameSet = 'uses' | 'later' | 'env' | 'views' | 'builtins' | 'net';

// Most units have few of all that they may have: thousands of empty sets would take longer than all the rest.
const NO_NAMES: ReadonlySet<string> = new Set();
const NO_IMPORTS: readonly Imported[] = [];
const NO_BLIND: readonly Blind[] = [];

/** A unit, to which is added what is found in its text. */
export class UnitFacts implements Unit {
  readonly id: UnitId;
  readonly name: string;
  readonly isState: boolean;
  readonly isWritten: boolean;
  readonly runsOnImport: boolean;
  uses = NO_NAMES;
  imports = NO_IMPORTS;
  later = NO_NAMES;
  env = NO_NAMES;
  views = NO_NAMES;
  builtins = NO_NAMES;
  net = NO_NAMES;
  blind = NO_BLIND;

  constructor(file: string, { name, isState, isWritten, runsOnImport }: Part) {
    this.id = idOf(file, name);
    this.name = name;
    this.isState = isState;
    this.isWritten = isWritten;
    this.runsOnImport = runsOnImport;
  }

  add(kind: NameSet, name: string): void {
    const known = this[kind];
    if (known === NO_NAMES) this[kind] = new Set([name]);
    else (known as Set<string>).add(name);
  }

  import(one: Imported): void {
    if (this.imports === NO_IMPORTS) this.imports = [one];
    else (this.imports as Imported[]).push(one);
  }

  lose(blind: Blind): void {
    if (this.blind === NO_BLIND) this.blind = [blind];
    else (this.blind as Blind[]).push(blind);
  }
}
