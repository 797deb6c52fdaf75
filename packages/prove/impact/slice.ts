import {
  fileOf,
  type Graph,
  INIT,
  idOf,
  MADE,
  partialFacts,
  type Read,
  type UnitId,
  unitOf,
} from '../graph/index.js';

/** What a part of a unit says, and what it leads to. */
export interface Slice {
  readonly print: string;
  /** Units that it mentions, itself or over ctx. */
  readonly mentions: readonly UnitId[];
  readonly reads: readonly Omit<Read, 'line'>[];
}

/** A unit in a text that has a part of its module; undefined where it cannot be followed. */
export function sliceOf(graph: Graph, id: UnitId, text: string): Slice | undefined {
  const file = fileOf(id);
  const facts = partialFacts(file, text);
  const unit = facts.units.get(unitOf(id));
  const stream = facts.flow({ kind: 'wrappers' });
  if (facts.error || !unit || !stream || unit.blind.length > 0 || stream.losses.length > 0) return undefined;
  const reads = stream.reads.filter((read) => read.unit === unit.name);
  const later = [...unit.later].map((specifier) => ({ specifier, name: '*' }));
  return {
    print: facts.print(unit.name),
    mentions: [
      idOf(file, INIT),
      ...[...unit.uses].map((name) => idOf(file, name)),
      ...[...unit.imports, ...later].flatMap((one) => importedUnits(graph, file, one)),
      ...reads.flatMap(({ key, member, isAssigned }) => graph.behind(key, isAssigned ? MADE : member)),
    ].sort(),
    reads,
  };
}

/** What an import of a module stands for, with what runs on import, and all members of what is made by it. */
export function importedUnits(
  graph: Graph,
  file: string,
  { specifier, name }: { readonly specifier: string; readonly name: string },
): readonly UnitId[] {
  const to = graph.destinations.get(file)?.get(specifier);
  if (to?.kind !== 'file') return [];
  const units = graph.exported(to.file, name);
  const members = units.flatMap((id) => {
    const { holders = [], members: all = [] } = graph.modules.get(fileOf(id)) ?? {};
    return holders.includes(unitOf(id)) ? all.map((one) => idOf(fileOf(id), one)) : [];
  });
  return [idOf(to.file, INIT), ...units, ...members];
}

/** Whether two versions say the same, and lead to the same. */
export const isSame = (one: Slice, other: Slice): boolean =>
  one.print === other.print && one.mentions.join() === other.mentions.join();
