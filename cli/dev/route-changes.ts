import { join } from 'node:path';
import type { RouteChanges } from '../../app/reload.js';
import type { Resolved } from '../../kernel/internal.js';

export const NO_ROUTE_CHANGES: RouteChanges = { added: [], removed: [], changed: [] };

/** What an edit did to the routes. `stale`: absolute paths of modules that were evaluated again. */
export function routeChanges(before: Resolved, after: Resolved, stale: ReadonlySet<string>): RouteChanges {
  const labels = ({ routes }: Resolved) => new Set(routes.map(({ label }) => label));
  const [old, now] = [labels(before), labels(after)];
  const files = ({ file, chain = [] }: Resolved['routes'][number]): readonly string[] => [file, ...chain];
  const isStale = (file: string): boolean => stale.has(join(after.project.source, file));
  const changed = after.routes.filter((route) => old.has(route.label) && files(route).some(isStale));
  return {
    added: [...now].filter((label) => !old.has(label)),
    removed: [...old].filter((label) => !now.has(label)),
    changed: [...new Set(changed.map(({ label }) => label))],
  };
}
