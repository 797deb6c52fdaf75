import { type Imported, importOf, WHOLE } from './imported.js';
import type { Binding, Identifier, Names } from './names.js';
import { bare, isClass, memberName, type Node } from './syntax.js';
import type { UnitFacts } from './unit-facts.js';
import { INIT, type Partition } from './units.js';

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
      // Whoever else has the class, or the function that makes the value, may call all of its members.
      if (isHolding(binding, reference, parts)) for (const member of parts.members) use(from, member);
    }
    if (binding.isAssigned && !isImport)
      for (const writer of givers(binding)) use(units.get(home) as UnitFacts, parts.of(writer));
  }
  for (const part of parts.parts.values())
    if (part.runsOnImport) use(units.get(INIT) as UnitFacts, part.name);
  for (const node of names.nodes)
    if (node.type === 'ThisExpression') mentionsThis(node, unit(node), parts, use);
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

/** `this.a` in a member is another member; `this` alone may be all of them. */
function mentionsThis(
  node: Node,
  from: UnitFacts,
  parts: Partition,
  use: (from: UnitFacts, to: string) => void,
): void {
  const inside = from.name.startsWith('default') || insideInstance(node, parts);
  if (!parts.factory || !inside) return;
  const { parent } = node;
  const name = parent?.type === 'MemberExpression' && parent.object === node ? memberName(parent) : undefined;
  if (name !== undefined) use(from, `default.${name}`);
  else for (const member of parts.members) use(from, member);
}

function insideInstance(node: Node, { factory }: Partition): boolean {
  for (let at: Node | null | undefined = node; at; at = at.parent)
    if (isClass(at)) return at === factory?.instance?.of;
  return false;
}
