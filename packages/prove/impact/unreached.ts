import { fileOf, type Graph, type UnitId } from '../graph/index.js';
import type { ChangedUnits, Versions } from './changed-units.js';
import type { Endpoint } from './endpoints.js';
import { isTestFile } from './file-kinds.js';
import type { SourceChange } from './versions.js';

/** The changed files that no endpoint leads to, in neither version. */
export function unreached(
  changes: readonly SourceChange[],
  changed: ChangedUnits,
  versions: Versions,
  endpoints: readonly Endpoint[],
): string[] {
  const files = [...new Set(endpoints.flatMap(({ file, chain }) => [file, ...chain]))];
  const isAsked = (graph: Graph, units: readonly UnitId[]): boolean => {
    if (units.length === 0) return false;
    const reaching = graph.whoReaches(units);
    return files.some((file) => graph.rootsOf(file).some((id) => reaching.has(id)));
  };
  return changes
    .filter(({ file, source }) => {
      const own = (units: ReadonlySet<UnitId>) => [...units].filter((id) => fileOf(id) === source);
      return (
        !isTestFile(file) &&
        !isAsked(versions.after, own(changed.after)) &&
        !isAsked(versions.before, own(changed.before))
      );
    })
    .map(({ file }) => file);
}
