import { type Graph, idOf, type UnitId } from '../graph/index.js';
import { withoutExtension } from './templates.js';

/** The units for which `holds`. */
function unitsWhere(graph: Graph, holds: (id: UnitId, views: ReadonlySet<string>) => boolean): UnitId[] {
  const found: UnitId[] = [];
  for (const { file, units } of graph.modules.values())
    for (const { name, views } of units.values())
      if (holds(idOf(file, name), views)) found.push(idOf(file, name));
  return found;
}

/** The units that render one of the views, or any. */
export const renderingUnits = (graph: Graph, views: ReadonlySet<string>): UnitId[] =>
  views.size === 0
    ? []
    : unitsWhere(graph, (_id, own) =>
        [...own].some((one) => one === '*' || views.has(one) || views.has(withoutExtension(one))),
      );

/** The units that mention one of the packages. */
export const unitsWithPackages = (graph: Graph, packages: ReadonlySet<string>): UnitId[] =>
  packages.size === 0
    ? []
    : unitsWhere(graph, (id) => [...graph.leavesOf([id]).packages].some((one) => packages.has(one)));
