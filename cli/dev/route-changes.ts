import type { RouteChanges } from '../../app/reload.js';
import { modulePath, type Resolved } from '../../kernel/internal.js';

export const NO_ROUTE_CHANGES: RouteChanges = { added: [], removed: [], changed: [] };

/** What an edit did to the routes. `stale`: absolute paths of modules that were evaluated again. */
export function routeChanges(before: Resolved, after: Resolved, stale: ReadonlySet<string>): RouteChanges {
  const [old, now] = [filesByLabel(before), filesByLabel(after)];
  const isStale = (file: string): boolean => stale.has(modulePath(after.project.source, file));
  const isChanged = (label: string, files: readonly string[]): boolean =>
    files.some(isStale) || files.join('\n') !== old.get(label)?.join('\n');
  return {
    added: [...now.keys()].filter((label) => !old.has(label)),
    removed: [...old.keys()].filter((label) => !now.has(label)),
    changed: [...now]
      .filter(([label, files]) => old.has(label) && isChanged(label, files))
      .map(([label]) => label),
  };
}

/** The files that answer by a label, with the middlewares around each. */
function filesByLabel({ routes }: Resolved): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, readonly string[]>();
  for (const { label, file, chain = [] } of routes)
    files.set(label, [...(files.get(label) ?? []), file, ...chain]);
  return files;
}
