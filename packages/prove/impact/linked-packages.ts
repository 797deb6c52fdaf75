import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { Graph } from '../graph/index.js';

/** All packages that modules import, by name. */
export function importedPackages(graph: Graph): Set<string> {
  const found = new Set<string>();
  for (const { units, bare } of graph.modules.values()) {
    for (const specifier of bare) found.add(packageIn(specifier));
    for (const { imports, later } of units.values())
      for (const specifier of [...imports.map((one) => one.specifier), ...later])
        found.add(packageIn(specifier));
  }
  return new Set([...found].filter((name) => name !== '' && !/^[./#]|^node:/.test(name)));
}

const packageIn = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The packages that are linked from beside the project, as in a workspace, and that one of `files` belongs to. */
export function linkedPackages(graph: Graph, root: string, files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const real = realpathSync(root);
  const changed = files.map((file) => path.join(real, file));
  return [...importedPackages(graph)].filter((name) => {
    const place = placeOf(real, name);
    return place !== undefined && changed.some((file) => file.startsWith(place + path.sep));
  });
}

/** Where a package is that is linked, and not installed. */
function placeOf(root: string, name: string): string | undefined {
  for (let at = root; ; at = path.dirname(at)) {
    try {
      const place = realpathSync(path.join(at, 'node_modules', name));
      return place.split(path.sep).includes('node_modules') ? undefined : place;
    } catch {
      // Not here: above.
    }
    if (at === path.dirname(at)) return undefined;
  }
}
